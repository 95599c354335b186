// GET, PUT, PATCH physicians/{id}. `practice` is read-only and ignored in a body.

import { type ClientCall, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";
import { updatePhysician } from "@/lib/practice/physicians/commands";
import { getPhysician } from "@/lib/practice/physicians/queries";
import {
  type PhysicianPatch,
  physicianInput,
  physicianPatch,
  physicianResponse,
  toPhysicianDto,
} from "@/lib/practice/physicians/schema";

const params = { id: idParam };

async function update({ access, params, ifMatch, origin, body }: ClientCall<{ id: number }, object, PhysicianPatch>) {
  const physician = await updatePhysician({ access, id: params.id, ifMatch, origin }, body);
  return { body: toPhysicianDto(physician), headers: { etag: etagOf(physician.version) } };
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "physicians.get",
    summary: "Get a physician",
    scope: "system/physicians.read",
    params,
    response: physicianResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params }) => {
      const physician = await getPhysician(access, params.id);
      return { body: toPhysicianDto(physician), headers: { etag: etagOf(physician.version) } };
    },
  }),
  PUT: endpoint({
    name: "physicians.replace",
    summary: "Update a physician",
    conditional: true,
    scope: "system/physicians.write",
    params,
    body: json(physicianInput),
    response: physicianResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  PATCH: endpoint({
    name: "physicians.update",
    summary: "Change fields of a physician",
    conditional: true,
    scope: "system/physicians.write",
    params,
    body: json(physicianPatch),
    response: physicianResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
});
