import { config } from "@/lib/config";
import { NotFoundError } from "@/lib/errors";
import { toCompanyDetailDto, toPlanDetailDto } from "@/lib/insurers/dto";
import { getCompany, getPlan } from "@/lib/insurers/queries";
import type { Access } from "@/lib/oauth/access";
import type { ReceivingClient } from "@/lib/oauth/queries";
import type { ScopeResource } from "@/lib/oauth/scopes";
import { toPatientDto } from "@/lib/patients/dto";
import { getPatient } from "@/lib/patients/queries";
import { viewPatient } from "@/lib/patients/view-queries";
import { toPhysicianDto } from "@/lib/physicians/dto";
import { getPhysician } from "@/lib/physicians/queries";
import { toPracticeDto } from "@/lib/practices/dto";
import { getPractice } from "@/lib/practices/queries";
import type { WebhookPayload } from "@/lib/webhooks/payload";

/** A record as GET answers it, and the patients whose data that shows. */
interface ShownRecord {
  data: object;
  patients: readonly number[];
}

type Read = (access: Access, id: number) => Promise<ShownRecord>;

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
};

/**
 * The `data` of a webhook (design §8): the record as its client would read it now, by its own rights; of one that is gone,
 * its id alone. Nothing of a record is kept with the event: a retry tells what is true by then, and what was deleted for
 * good is not told any more.
 */
async function findRecord(access: Access, resource: string, id: number): Promise<ShownRecord> {
  const gone = { data: { id }, patients: [] };
  const read = READS[resource as ScopeResource];
  if (!read) return gone;
  return read(access, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return gone;
    throw error;
  });
}

/** What the body of a webhook tells of its event. */
export interface ToldEvent {
  event_type: "saved" | "deleted";
  event_id: number;
  event_uuid: string;
  resource: string;
  resource_id: number;
}

/** The body of a webhook as it would be sent now (design §8), the patients whose data it holds, and the record's path. */
export async function buildPayload(
  event: ToldEvent,
  { access, publicClientId }: ReceivingClient,
): Promise<{ payload: WebhookPayload; patients: readonly number[]; path: string }> {
  const { event_type: action, event_id, event_uuid, resource, resource_id } = event;
  const path = `/api/2.0/${resource}/${resource_id}/`;
  const gone = { data: { id: resource_id }, patients: [] };
  const { data, patients } = action === "deleted" ? gone : await findRecord(access, resource, resource_id);
  const application_id = publicClientId;
  const resource_url = `${publicUrl()}${path}`;
  return { payload: { data, action, event_id, event_uuid, application_id, resource, resource_url }, patients, path };
}

function publicUrl(): string {
  const { PUBLIC_URL, PORT } = config();
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}
