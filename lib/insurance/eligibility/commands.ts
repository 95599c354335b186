import { auditPatientChange } from "@/lib/access/audit/commands";
import type { Access, Origin } from "@/lib/access/identity/access";
import { getPolicy } from "@/lib/insurance/policies/queries";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { throwAbsent } from "@/lib/insurance/policies/store";
import { clock, isoNow } from "@/lib/platform/clock";
import { type Db, db, insertInto, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError } from "@/lib/platform/errors";
import { getPracticeProfile } from "@/lib/practice/practices/queries";
import { configuredProvider } from "./configured-provider";
import {
  type EligibilityAnswer,
  type EligibilityInquiry,
  type EligibilityProvider,
  failedAnswer,
  noBenefits,
  SERVICE_TYPE,
} from "./provider";
import { type CheckRow, getInsuranceTarget, type InsuranceTarget } from "./queries";
import { toDetails } from "./rules";
import type { EligibilityInput, StoredReport } from "./schema";

/** The caller of a check. */
export interface CheckRequest {
  access: Access;
  origin: Origin;
}

/**
 * Checks the eligibility of a legacy insurance, as `checkPolicy` does.
 *
 * @throws NotFoundError, GoneError
 * @throws ConflictError stream_pending, if the policy of the insurance is not replicated yet
 */
export async function checkInsurance(
  request: CheckRequest,
  insuranceId: number,
  input: EligibilityInput,
): Promise<CheckRow> {
  const target = await getInsuranceTarget(request.access, insuranceId);
  return checkPolicy(request, target, input).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
    throw new ConflictError("stream_pending", "This insurance has not been synced yet. Try again.", {
      cause: error,
      retryAfterSeconds: 1,
    });
  });
}

/**
 * Asks the payer of a policy whether it is active and stores the answer. A failure is stored as a check with the status `error`. Holds
 * neither a transaction nor a connection to the database while it waits for the payer.
 *
 * @throws NotFoundError, GoneError
 */
export async function checkPolicy(
  { access, origin }: CheckRequest,
  { patientId, policyId }: InsuranceTarget,
  input: EligibilityInput = {},
  provider: EligibilityProvider = configuredProvider(),
): Promise<CheckRow> {
  const policy = await getPolicy(access, patientId, policyId);
  const context = await readContext(db, policy);
  const requester = { name: input.group_name?.trim() || context.practice, npi: input.group_npi?.trim() || null };
  const inquiry = toInquiry(policy, context, requester);
  const answer = "errors" in inquiry ? inquiry : await provider.ask(inquiry, origin.requestId);
  const report = toReport(answer, policy, requester);

  return transaction(async (tx) => {
    // Locked, because it could be purged meanwhile.
    const current = await tx.first<{ id: number }>(sql`SELECT id FROM policy WHERE id = ${policyId} FOR KEY SHARE`);
    if (!current) return throwAbsent(tx, patientId, policyId);
    const row = {
      policy_id: policyId,
      patient_id: patientId,
      practice_id: policy.practice_id,
      status: answer.status,
      provider: provider.name,
      asked: { carrier: policy.carrier ?? "", member_id: policy.member_id ?? "" },
      details: toDetails(answer),
      report,
      actor: origin.actor,
      source: origin.source,
      request_id: origin.requestId,
      checked_date: isoNow(),
    };
    const { id } = await tx.one<{ id: number }>(sql`${insertInto("eligibility_check", [row])} RETURNING id`);
    auditPatientChange(tx, origin, { id: patientId, practice_id: policy.practice_id });
    return { ...row, id, patient_insurance: policy.patient_insurance };
  });
}

/** What an inquiry needs besides the policy. */
interface Context {
  practice: string;
  /** Today in the practice's time zone, `YYYY-MM-DD`. */
  today: string;
  sex: string;
  /** The ID under which clearinghouses know the payer. */
  payerId: string | null;
  company: string | null;
}

async function readContext(read: Db, policy: PolicyRow): Promise<Context> {
  const [{ name, timezone }, context] = await Promise.all([
    getPracticeProfile(read, policy.practice_id),
    read.one<Pick<Context, "sex" | "company" | "payerId">>(sql`
      SELECT p.sex, c.carrier AS company,
        coalesce(nullif(trim(c.eligibility_payer_id), ''), nullif(trim(c.payer_id), '')) AS "payerId"
      FROM patient p LEFT JOIN insurance_company c ON c.id = ${policy.insurance_company}::bigint
      WHERE p.id = ${policy.patient_id}`),
  ]);
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(clock.now());
  return { practice: name, today, ...context };
}

/** Builds the question to the payer, or the answer of a failed check if something it needs is missing. */
function toInquiry(
  policy: PolicyRow,
  { today, sex, payerId, company }: Context,
  requester: EligibilityInquiry["requester"],
): EligibilityInquiry | EligibilityAnswer {
  const payer = policy.carrier?.trim() || company;
  const memberId = policy.member_id?.trim();
  if (!payer) return failedAnswer("missing_payer", "The policy has no payer.");
  if (!memberId) return failedAnswer("missing_member_id", "The policy has no member ID.");
  const patient = {
    first_name: policy.patient_first_name,
    last_name: policy.patient_last_name,
    dob: policy.patient_dob,
    sex,
  };
  const { relationship_to_insured: relationship } = policy;
  return {
    date: today,
    payer: { name: payer, id: payerId },
    memberId,
    groupNumber: policy.group_id?.trim() || null,
    plan: policy.plan?.trim() || null,
    patient,
    subscriber: relationship === null ? patient : subscriberOf(policy),
    relationship,
    requester,
    onFile: {
      copay: policy.copay,
      deductible: policy.deductible,
      startDate: policy.start_date,
      endDate: policy.end_date,
      isArchived: policy.status === "archived",
    },
  };
}

function subscriberOf(policy: PolicyRow): EligibilityInquiry["subscriber"] {
  const dob = policy.insured_person_dob?.trim();
  return {
    first_name: policy.insured_person_first_name ?? "",
    last_name: policy.insured_person_last_name ?? "",
    dob: dob && /^\d{4}-\d{2}-\d{2}$/.test(dob) ? dob : null,
    sex: policy.insured_person_gender,
  };
}

function toReport(
  answer: EligibilityAnswer,
  policy: PolicyRow,
  { name, npi }: EligibilityInquiry["requester"],
): StoredReport {
  const asked = {
    ...(policy.carrier && { carrier: policy.carrier }),
    ...(policy.member_id && { member_id: policy.member_id }),
  };
  return {
    benefits: answer.status === "error" ? noBenefits() : answer.benefits,
    eligibility_provider: { organization_name: name, ...(npi !== null && { npi }) },
    plan_details: { ...asked, ...answer.plan },
    service_type_code: SERVICE_TYPE,
    subscriber: answer.subscriber,
  };
}
