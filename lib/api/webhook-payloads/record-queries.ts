import { resources } from "@/generated/resources";
import { findReceivingClients, type ReceivingClient } from "@/lib/access/clients/queries";
import { type Access, mintAccess } from "@/lib/access/identity/access";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import { getOfficeStaff } from "@/lib/access/staff/api-queries";
import { toOfficeStaffDto } from "@/lib/access/staff/dto";
import { toPracticeDto } from "@/lib/api/practices/dto";
import type { ToldEvent } from "@/lib/events/published/schema";
import { getAddressedEvent } from "@/lib/events/published/staff-queries";
import type { WebhookPayload } from "@/lib/events/webhooks/payload";
import { toPatientDto } from "@/lib/insurance/legacy/dto";
import { getPatient } from "@/lib/insurance/legacy/queries";
import { viewPatient } from "@/lib/insurance/legacy/view-queries";
import { toCompanyDetailDto, toPlanDetailDto } from "@/lib/insurance/payers/dto";
import { getCompany, getPlan } from "@/lib/insurance/payers/queries";
import { NotFoundError } from "@/lib/platform/errors";
import { publicOrigin } from "@/lib/platform/public-url";
import { toPhysicianDto } from "@/lib/practice/physicians/dto";
import { getPhysician } from "@/lib/practice/physicians/queries";
import { getPractice } from "@/lib/practice/practices/queries";
import type { Resource } from "@/lib/records/engine/schema";
import { getRecordView } from "@/lib/records/engine/view-queries";

/** A record as GET answers it, and the patients whose data that shows. */
interface ShownRecord {
  data: object;
  patients: readonly number[];
  /** Practices whose records it shows that hold people's data without naming a patient. */
  unnamed?: readonly number[];
}

type Read = (access: Access, id: number) => Promise<ShownRecord>;

/** Resources of tables of their own. */
const READS: Partial<Record<ScopeResource, Read>> = {
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

/** Those that are served from declarations; one with a path of its own only shows another's records there. */
const DECLARED = new Map<string, Resource>(
  resources.filter(({ path }) => path === undefined).map((resource) => [resource.name, resource]),
);

/**
 * The `data` of a webhook (design §8): the record as its client would read it now, by its own rights; of one that is gone,
 * its id alone. Nothing of a record is kept with the event: a retry tells what is true by then, and what was deleted for
 * good is not told any more.
 */
async function findRecord(access: Access, resource: string, id: number): Promise<ShownRecord> {
  return readRecord(access, resource, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return { data: { id }, patients: [] };
    throw error;
  });
}

async function readRecord(access: Access, resource: string, id: number): Promise<ShownRecord> {
  const declared = DECLARED.get(resource);
  if (declared) return getRecordView(access, declared, id, new URL(publicOrigin()));
  const read = READS[resource as ScopeResource];
  // Told by its id alone it would be taken for deleted.
  if (!read) throw new Error(`Records of ${resource} are published, and can't be read.`);
  return read(access, id);
}

/** The body of a webhook as it would be sent now (design §8), whose data it holds, and the record's path. */
export async function buildPayload(
  event: ToldEvent,
  { access, publicClientId }: ReceivingClient,
): Promise<{ payload: WebhookPayload; patients: readonly number[]; unnamed: readonly number[]; path: string }> {
  const { event_type: action, event_id, event_uuid, resource, resource_id } = event;
  const path = `/api/2.0/${resource}/${resource_id}/`;
  const gone: ShownRecord = { data: { id: resource_id }, patients: [] };
  const {
    data,
    patients,
    unnamed = [],
  } = action === "deleted" ? gone : await findRecord(access, resource, resource_id);
  const application_id = publicClientId;
  const resource_url = `${publicOrigin()}${path}`;
  const payload = { data, action, event_id, event_uuid, application_id, resource, resource_url };
  return { payload, patients, unnamed, path };
}

/**
 * What would be sent of an event now, as its client may read the record, in this practice; null where the client has no
 * right to it any more.
 *
 * @throws NotFoundError where the event is absent, or of another practice
 */
export async function previewPayload(
  access: Access,
  eventId: number,
): Promise<{ payload: object | null; patients: readonly number[]; unnamed?: readonly number[] }> {
  const event = await getAddressedEvent(access, eventId);
  const client = (await findReceivingClients([event.client_id])).get(event.client_id);
  if (!client?.access.practices.includes(event.practice_id)) return { payload: null, patients: [] };
  const narrowed = mintAccess({ ...client.access, practices: [event.practice_id] });
  return buildPayload(event, { ...client, access: narrowed });
}
