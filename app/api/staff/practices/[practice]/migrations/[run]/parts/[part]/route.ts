// PUT practices/{practice}/migrations/{run}/parts/{part}: parts count from 1. A repeated part replaces the earlier one.
import { octets } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { PART_BYTES, putPart } from "@/lib/migration/commands/upload-run";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PUT: staffEndpoint({
    name: "staff.migrations.upload",
    role: "staff",
    params: { practice: idParam, run: idParam, part: idParam },
    body: octets({ limitBytes: PART_BYTES }),
    status: 204,
    handle: async ({ access, origin, params, body }) => {
      await putPart({ access, origin }, params.run, params.part, body);
      return {};
    },
  }),
});
