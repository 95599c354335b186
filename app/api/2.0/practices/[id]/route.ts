// GET, PUT, PATCH practices/{id}. Only staff can change Insurance Versioning, so it is not a field.

import { type ClientCall, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { toPracticeDto } from "@/lib/api/practices/dto";
import { practiceResponse } from "@/lib/api/practices/schema";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";
import { updatePractice } from "@/lib/practice/practices/commands";
import { getPractice } from "@/lib/practice/practices/queries";
import { type PracticePatch, practiceInput, practicePatch } from "@/lib/practice/practices/schema";

const params = { id: idParam };

async function update({ access, params, ifMatch, origin, body }: ClientCall<{ id: number }, object, PracticePatch>) {
  const practice = await updatePractice({ access, id: params.id, ifMatch, origin }, body);
  return { body: toPracticeDto(practice), headers: { etag: etagOf(practice.version) } };
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "practices.get",
    summary: "Get a practice",
    scope: "system/practices.read",
    params,
    response: practiceResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params }) => {
      const practice = await getPractice(access, params.id);
      return { body: toPracticeDto(practice), headers: { etag: etagOf(practice.version) } };
    },
  }),
  PUT: endpoint({
    name: "practices.replace",
    summary: "Update a practice",
    conditional: true,
    scope: "system/practices.write",
    params,
    body: json(practiceInput),
    response: practiceResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  PATCH: endpoint({
    name: "practices.update",
    summary: "Change fields of a practice",
    conditional: true,
    scope: "system/practices.write",
    params,
    body: json(practicePatch),
    response: practiceResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
});
