// GET appointments/rooms/: the rooms named in the appointments of the caller's practices.
import { z } from "zod";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { integerParam } from "@/lib/platform/http/pagination";
import { repeatable } from "@/lib/platform/http/query";
import { route } from "@/lib/platform/http/route";
import { listRooms } from "@/lib/records/queries/rooms";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "appointment_rooms.list",
    summary: "List appointment rooms",
    scope: "system/appointments.read",
    query: { practice: repeatable(integerParam).optional() },
    response: z.object({
      count: z.int(),
      next: z.string().nullable(),
      previous: z.string().nullable(),
      results: z.array(z.object({ name: z.string(), practice: z.int() })),
    }),
    status: 200,
    handle: async ({ access, query: { practice } }) => {
      const results = await listRooms(access, practice);
      return { body: { count: results.length, next: null, previous: null, results } };
    },
  }),
});
