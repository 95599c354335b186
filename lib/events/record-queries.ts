import { NotFoundError } from "@/lib/errors";
import { toCompanyDetailDto, toPlanDetailDto } from "@/lib/insurers/dto";
import { getCompany, getPlan } from "@/lib/insurers/queries";
import type { Access } from "@/lib/oauth/access";
import type { ScopeResource } from "@/lib/oauth/scopes";
import { toPatientDto } from "@/lib/patients/dto";
import { getPatient } from "@/lib/patients/queries";
import { viewPatient } from "@/lib/patients/view-queries";
import { toPhysicianDto } from "@/lib/physicians/dto";
import { getPhysician } from "@/lib/physicians/queries";
import { toPracticeDto } from "@/lib/practices/dto";
import { getPractice } from "@/lib/practices/queries";

/** Reads one record as GET answers it. */
type Read = (access: Access, id: number) => Promise<object>;

const READS: Partial<Record<ScopeResource, Read>> = {
  patients: async (access, id) => {
    const { patient, insurances } = await viewPatient(await getPatient(access, id));
    return toPatientDto(patient, insurances);
  },
  practices: async (access, id) => toPracticeDto(await getPractice(access, id)),
  physicians: async (access, id) => toPhysicianDto(await getPhysician(access, id)),
  insurance_companies: async (access, id) => toCompanyDetailDto(await getCompany(access, id)),
  insurance_plans: async (access, id) => toPlanDetailDto(await getPlan(access, id)),
};

/**
 * The `data` of a webhook (design §8): the record as its client would read it now, by its own rights; of one that is gone,
 * its id alone. Nothing of a record is kept with the event: a retry tells what is true by then, and what was deleted for
 * good is not told any more.
 */
export async function findRecord(access: Access, resource: string, id: number): Promise<object> {
  const read = READS[resource as ScopeResource];
  if (!read) return { id };
  return read(access, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return { id };
    throw error;
  });
}
