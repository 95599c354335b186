// GET, PATCH users/{id}/: a staff account of the caller's practices.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";
import { getUser } from "@/lib/practice/members/queries";
import { updateUser } from "@/lib/practice/members/user-commands";
import { toUserDto, type UserRow, userPatch, userResponse } from "@/lib/practice/members/user-schema";

const params = { id: idParam };
const reply = (user: UserRow) => ({ body: toUserDto(user), headers: { etag: etagOf(user.version) } });

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "users.get",
    summary: "Get a user",
    group: "Practice",
    scope: "apiv2",
    params,
    response: userResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params }) => reply(await getUser(access, params.id)),
  }),
  PATCH: endpoint({
    name: "users.update",
    summary: "Change fields of a user",
    description:
      "`email` and `practice` must be unchanged. A user who also belongs to practices outside your access can't be changed (409 `belongs_elsewhere`), and a practice that has an admin keeps one (422 `last_admin`).",
    group: "Practice",
    conditional: true,
    errors: [409, 422],
    scope: "apiv2",
    params,
    body: json(userPatch),
    response: userResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params, ifMatch, origin, body }) =>
      reply(await updateUser({ access, origin, userId: params.id, ifMatch }, body)),
  }),
});
