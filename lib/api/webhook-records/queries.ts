import { resources } from "@/generated/resources";
import { findReceivingClients } from "@/lib/access/clients/queries";
import { type Access, mintAccess } from "@/lib/access/identity/access";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import { toPracticeDto } from "@/lib/api/practices/dto";
import { buildPayload, type ReadableRecord } from "@/lib/events/delivery/payload";
import { getAddressedEvent } from "@/lib/events/published/staff-queries";
import { toPatientDto } from "@/lib/insurance/patients/dto";
import { findPatients, viewPatients } from "@/lib/insurance/patients/queries";
import { toCompanyDetailDto, toPlanDetailDto } from "@/lib/insurance/payers/dto";
import { getCompany, getPlan } from "@/lib/insurance/payers/queries";
import { publicOrigin } from "@/lib/platform/config";
import { NotFoundError } from "@/lib/platform/errors";
import { getOfficeStaff } from "@/lib/practice/members/queries";
import { toOfficeStaffDto } from "@/lib/practice/members/schema";
import { getPhysician } from "@/lib/practice/physicians/queries";
import { toPhysicianDto } from "@/lib/practice/physicians/schema";
import { getPractice } from "@/lib/practice/practices/queries";
import { dataSubjects, findRecords, serializeRecords } from "@/lib/records/engine/queries";
import type { Resource } from "@/lib/records/engine/schema";

type Read = (access: Access, id: number) => Promise<ReadableRecord>;

/** Readers of resources with their own tables, except patients. */
const READS: Partial<Record<string, Read>> & Partial<Record<ScopeResource, Read>> = {
  practices: async (access, id) => ({ data: toPracticeDto(await getPractice(access, id)), patients: [] }),
  physicians: async (access, id) => ({ data: toPhysicianDto(await getPhysician(access, id)), patients: [] }),
  insurance_companies: async (access, id) => {
    const company = await getCompany(access, id);
    return { data: toCompanyDetailDto(company), patients: company.patients };
  },
  insurance_plans: async (access, id) => {
    const plan = await getPlan(access, id);
    return { data: toPlanDetailDto(plan), patients: plan.patients };
  },
  office_staff: async (access, id) => ({ data: toOfficeStaffDto(await getOfficeStaff(access, id)), patients: [] }),
};

/** Resources that are served from declarations. One with a path shows another resource's records, so it is excluded. */
const DECLARED = new Map<string, Resource>(
  resources.filter(({ path }) => path === undefined).map((resource) => [resource.name, resource]),
);

/** Reads records of any resource as GET returns them. Those that the caller can't read are missing. */
export async function readRecords(
  access: Access,
  resource: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReadableRecord>> {
  if (resource === "patients") return readPatients(access, ids);
  const declared = DECLARED.get(resource);
  if (declared) return readDeclared(access, declared, ids);
  const read = READS[resource];
  // A payload with only the ID would mean that the record was deleted.
  if (!read) throw new Error(`Records of ${resource} are published but can't be read.`);
  const records = await Promise.all(ids.map((id) => read(access, id).catch(nullIfAbsent)));
  return new Map(records.flatMap((record, at) => (record ? [[ids[at] as number, record]] : [])));
}

async function readPatients(access: Access, ids: readonly number[]): Promise<Map<number, ReadableRecord>> {
  const views = await viewPatients(await findPatients(access, ids));
  return new Map(
    views.map(({ patient, insurances }) => [
      patient.id,
      { data: toPatientDto(patient, insurances), patients: [patient.id] },
    ]),
  );
}

async function readDeclared(
  access: Access,
  resource: Resource,
  ids: readonly number[],
): Promise<Map<number, ReadableRecord>> {
  const rows = await findRecords(access, resource, ids);
  const data = await serializeRecords(access, resource, rows, { view: "get", base: new URL(publicOrigin()) });
  return new Map(rows.map((row, at) => [row.id, { data: data[at] ?? {}, ...dataSubjects(resource, [row]) }]));
}

function nullIfAbsent(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}

/**
 * Builds the payload that an event would be delivered with now. It is null if the client can no longer read the record.
 *
 * @throws NotFoundError if the event is absent or another practice's
 */
export async function previewPayload(
  access: Access,
  eventId: number,
): Promise<{ payload: object | null; patients: readonly number[]; unnamed?: readonly number[] }> {
  const event = await getAddressedEvent(access, eventId);
  const client = (await findReceivingClients([event.client_id])).get(event.client_id);
  if (!client?.access.practices.includes(event.practice_id)) return { payload: null, patients: [] };
  const narrowed = mintAccess({ ...client.access, practices: [event.practice_id] });
  return buildPayload(event, { ...client, access: narrowed }, readRecords);
}
