// GET, POST insurance_companies. `carrier` matches the whole name, ignoring case.
import { z } from "zod";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { createCompany } from "@/lib/insurance/payers/commands/write-company";
import { toCompanyDto } from "@/lib/insurance/payers/dto";
import { COMPANY_ORDERS, listCompanies } from "@/lib/insurance/payers/queries";
import { companyInput, companyResponse } from "@/lib/insurance/payers/schema";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { integerParam, pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { repeatable } from "@/lib/platform/http/query";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "insurance_companies.list",
    summary: "List insurance companies",
    scope: "system/insurance_companies.read",
    query: {
      ...pageQuery(Object.keys(COMPANY_ORDERS)),
      carrier: repeatable(z.string().max(200)).optional(),
      practice: repeatable(integerParam).optional(),
    },
    response: pageSchema(companyResponse),
    status: 200,
    readsMuch: true,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listCompanies(access, query, page), toCompanyDto) };
    },
  }),
  POST: endpoint({
    name: "insurance_companies.create",
    summary: "Create an insurance company",
    scope: "system/insurance_companies.write",
    body: json(companyInput),
    response: companyResponse,
    headers: ["Location", "ETag"],
    status: 201,
    handle: async ({ access, origin, body, url }) => {
      const company = await createCompany({ access, origin }, body);
      const location = new URL(`/api/2.0/insurance_companies/${company.id}/`, url).href;
      return { body: toCompanyDto(company), headers: { location, etag: etagOf(company.version) } };
    },
  }),
});
