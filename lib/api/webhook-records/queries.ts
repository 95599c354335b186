import { resources } from "@/generated/resources";
import { findReceivingClients } from "@/lib/access/clients/queries";
import { type Access, mintAccess } from "@/lib/access/identity/access";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import { toPracticeDto } from "@/lib/api/practices/dto";
import { buildPayload, type ReadableRecord } from "@/lib/events/delivery/payload";
import { getAddressedEvent } from "@/lib/events/published/staff-queries";
import { toPatientDto } from "@/lib/insurance/patients/dto";
import { getPatient, viewPatient } from "@/lib/insurance/patients/queries";
import { toCompanyDetailDto, toPlanDetailDto } from "@/lib/insurance/payers/dto";
import { getCompany, getPlan } from "@/lib/insurance/payers/queries";
import { publicOrigin } from "@/lib/platform/config";
import { getOfficeStaff } from "@/lib/practice/members/queries";
import { toOfficeStaffDto } from "@/lib/practice/members/schema";
import { getPhysician } from "@/lib/practice/physicians/queries";
import { toPhysicianDto } from "@/lib/practice/physicians/schema";
import { getPractice } from "@/lib/practice/practices/queries";
import { dataSubjects, getRecord, serializeRecords } from "@/lib/records/engine/queries";
import type { Resource } from "@/lib/records/engine/schema";

type Read = (access: Access, id: number) => Promise<ReadableRecord>;

/** Readers of resources with their own tables. */
const READS: Partial<Record<string, Read>> & Partial<Record<ScopeResource, Read>> = {
  patients: async (access, id) => {
    const { patient, insurances } = await viewPatient(await getPatient(access, id));
    return { data: toPatientDto(patient, insurances), patients: [id] };
  },
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

/** Reads a record of any resource as GET returns it. */
export async function readRecord(access: Access, resource: string, id: number): Promise<ReadableRecord> {
  const declared = DECLARED.get(resource);
  if (declared) {
    const record = await getRecord(access, declared, id);
    const [data = {}] = await serializeRecords(access, declared, [record], {
      view: "get",
      base: new URL(publicOrigin()),
    });
    return { data, ...dataSubjects(declared, [record]) };
  }
  const read = READS[resource];
  // A payload with only the ID would mean that the record was deleted.
  if (!read) throw new Error(`Records of ${resource} are published but can't be read.`);
  return read(access, id);
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
  return buildPayload(event, { ...client, access: narrowed }, readRecord);
}
