// POST practices/{practice}/migrations/sign-offs: stores a permanent go or no-go with the current figures.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { signOff } from "@/lib/migration/commands/sign-off";
import { getReadiness } from "@/lib/migration/readiness-queries";
import { signOffBody } from "@/lib/migration/schema/staff";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.sign-off",
    role: "admin",
    params: { practice: idParam },
    body: json(signOffBody),
    status: 201,
    handle: async ({ access, origin, params, body }) => {
      await signOff({ access, origin }, params.practice, body);
      return { body: await getReadiness(access, params.practice) };
    },
  }),
});
