// GET, POST users/: the staff accounts of the caller's practices.
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";
import { listUsers } from "@/lib/practice/members/queries";
import { createUser } from "@/lib/practice/members/user-commands";
import { toUserDto, userInput, userResponse } from "@/lib/practice/members/user-schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "users.list",
    summary: "List users",
    description: "The staff accounts of your practices, including disabled ones.",
    group: "Practice",
    scope: "apiv2",
    query: pageQuery(),
    response: pageSchema(userResponse),
    status: 200,
    readsMuch: true,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listUsers(access, page), toUserDto) };
    },
  }),
  POST: endpoint({
    name: "users.create",
    summary: "Create a user",
    description:
      "Adds a staff account to a practice. It has no known password: an admin sets one under **Members**, or the person signs in with your OpenID provider.",
    group: "Practice",
    scope: "apiv2",
    body: json(userInput),
    response: userResponse,
    headers: ["Location", "ETag"],
    status: 201,
    handle: async ({ access, origin, body, url }) => {
      const user = await createUser({ access, origin }, body);
      const location = new URL(`/api/2.0/users/${user.id}/`, url).href;
      return { body: toUserDto(user), headers: { location, etag: etagOf(user.version) } };
    },
  }),
});
