// GET, PUT, PATCH, DELETE insurance_companies/{id}. DELETE also deletes the plans; policies keep referring to both.

import { type ClientCall, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { deleteCompany, updateCompany } from "@/lib/insurance/payers/commands/write-company";
import { toCompanyDetailDto } from "@/lib/insurance/payers/dto";
import { getCompany } from "@/lib/insurance/payers/queries";
import { type CompanyPatch, companyDetailResponse, companyInput, companyPatch } from "@/lib/insurance/payers/schema";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";

const params = { id: idParam };

async function update({ access, params, ifMatch, origin, body }: ClientCall<{ id: number }, object, CompanyPatch>) {
  const company = await updateCompany({ access, id: params.id, ifMatch, origin }, body);
  return { body: toCompanyDetailDto(company), patients: company.patients, headers: { etag: etagOf(company.version) } };
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "insurance_companies.get",
    summary: "Get an insurance company with its plans and insured patients",
    scope: "system/insurance_companies.read",
    params,
    response: companyDetailResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params }) => {
      const company = await getCompany(access, params.id);
      return {
        body: toCompanyDetailDto(company),
        patients: company.patients,
        headers: { etag: etagOf(company.version) },
      };
    },
  }),
  PUT: endpoint({
    name: "insurance_companies.replace",
    summary: "Update an insurance company",
    conditional: true,
    scope: "system/insurance_companies.write",
    params,
    body: json(companyInput),
    response: companyDetailResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  PATCH: endpoint({
    name: "insurance_companies.update",
    summary: "Change fields of an insurance company",
    conditional: true,
    scope: "system/insurance_companies.write",
    params,
    body: json(companyPatch),
    response: companyDetailResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  DELETE: endpoint({
    name: "insurance_companies.delete",
    summary: "Delete an insurance company and its plans",
    conditional: true,
    scope: "system/insurance_companies.write",
    params,
    status: 204,
    handle: async ({ access, params, ifMatch, origin }) => {
      await deleteCompany({ access, id: params.id, ifMatch, origin });
      return {};
    },
  }),
});
