// GET patient-provider-teams/: the teams that treat the caller's patients. Every patient has one.
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";
import { listProviderTeams, providerTeam } from "@/lib/records/queries/provider-teams";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_provider_teams.list",
    summary: "List the teams that treat patients",
    group: "Patient profile",
    scope: "apiv2",
    query: pageQuery(),
    response: pageSchema(providerTeam),
    status: 200,
    readsMuch: true,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      const slice = await listProviderTeams(access, page);
      return { body: toPage(url, page, slice, ({ team }) => team), patients: slice.rows.map(({ id }) => id) };
    },
  }),
});
