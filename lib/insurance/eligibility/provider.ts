import type { EligibilityStatus } from "@/generated/rows/enums";
import type { Benefits, EligibilityProblem, StoredReport } from "./schema";

/** The X12 service type that checks ask for: the benefits of the whole plan, which every payer must answer. */
export const SERVICE_TYPE = "30";

/** The source of a check's result. */
export type ProviderName = "simulator" | "clearinghouse";

interface Person {
  first_name: string;
  last_name: string;
  /** `YYYY-MM-DD` */
  dob: string | null;
  sex: string | null;
}

/** A question to a payer: what does this policy cover on a day? */
export interface EligibilityInquiry {
  /** The day of service, `YYYY-MM-DD`. */
  date: string;
  payer: { name: string; id: string | null };
  memberId: string;
  groupNumber: string | null;
  plan: string | null;
  patient: Person;
  subscriber: Person;
  /** The relationship of the patient to the subscriber; null if they are the same person. */
  relationship: string | null;
  /** Who asks. */
  requester: { name: string; npi: string | null };
  /** What the practice has on file. Only the simulator uses it. */
  onFile: {
    copay: string | null;
    deductible: string | null;
    startDate: string | null;
    endDate: string | null;
    isArchived: boolean;
  };
}

/** What a payer answered, or why it did not. */
export interface EligibilityAnswer {
  status: EligibilityStatus;
  /** Why the status is `error`. Otherwise empty. */
  errors: EligibilityProblem[];
  benefits: Benefits;
  plan: StoredReport["plan_details"];
  subscriber: StoredReport["subscriber"];
}

/** Answers questions about eligibility. */
export interface EligibilityProvider {
  name: ProviderName;
  /**
   * Asks the payer. Never rejects: a failure is an answer with the status `error`. Takes at most ELIGIBILITY_TIMEOUT_MS.
   *
   * @param requestId for the log
   */
  ask(inquiry: EligibilityInquiry, requestId?: string | null): Promise<EligibilityAnswer>;
}

/** Returns benefits without entries. */
export function noBenefits(): Benefits {
  return { coinsurance: [], copay: [], deductible: [], limitations: [], out_of_pocket: [] };
}

/** Returns the answer of a check that failed. */
export function failedAnswer(code: string, message: string): EligibilityAnswer {
  return { status: "error", errors: [{ code, message }], benefits: noBenefits(), plan: {}, subscriber: {} };
}
