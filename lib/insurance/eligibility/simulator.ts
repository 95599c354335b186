import { createHash } from "node:crypto";
import { type EligibilityAnswer, type EligibilityInquiry, type EligibilityProvider, failedAnswer } from "./provider";
import type { Benefit } from "./schema";

const SIMULATED = "Simulated result. No payer was contacted.";

/**
 * Answers without asking a payer, for demonstrations, tests and development. The same policy gets the same answer each time.
 * Member IDs that end in `0000` are not found, and for those that end in `9999` the payer does not respond.
 */
export const simulator: EligibilityProvider = {
  name: "simulator",
  ask: async (inquiry) => simulate(inquiry),
};

function simulate(inquiry: EligibilityInquiry): EligibilityAnswer {
  const { memberId, payer, onFile, date } = inquiry;
  if (memberId.endsWith("0000")) return failedAnswer("member_not_found", "The payer did not find this member ID.");
  if (memberId.endsWith("9999")) return failedAnswer("payer_unavailable", "The payer did not respond.");
  const hasEnded = onFile.isArchived || (onFile.endDate !== null && onFile.endDate < date);
  const hasBegun = onFile.startDate === null || onFile.startDate <= date;
  const { first_name, last_name, sex } = inquiry.subscriber;
  return {
    status: hasBegun && !hasEnded ? "active" : "inactive",
    errors: [],
    benefits: hasBegun && !hasEnded ? benefitsOf(inquiry) : { ...EMPTY, limitations: [{ message: SIMULATED }] },
    plan: {
      carrier: payer.name,
      ...given("group_number", inquiry.groupNumber),
      member_id: memberId,
      ...given("plan_name", inquiry.plan),
      ...given("start_date", onFile.startDate),
      end_date: onFile.endDate,
    },
    subscriber: {
      first_name,
      last_name,
      name: `${first_name} ${last_name}`,
      member_id: memberId,
      ...given("sex_at_birth", sex),
    },
  };
}

const EMPTY = { coinsurance: [], copay: [], deductible: [], out_of_pocket: [] };
const COPAYS = ["20.00", "25.00", "30.00", "40.00"];
const DEDUCTIBLES = ["500.00", "1000.00", "1500.00", "3000.00"];
const PERCENTAGES = ["10.00", "20.00", "30.00"];

/** Invents benefits from what the practice has on file, and the rest from the payer and the member ID. */
function benefitsOf({ memberId, payer, onFile }: EligibilityInquiry) {
  const chance = createHash("sha256").update(`${payer.name}\n${memberId}`).digest();
  const pick = (from: readonly string[], at: number) => from[(chance[at] ?? 0) % from.length] ?? "0.00";
  const copay = onFile.copay ?? pick(COPAYS, 0);
  const deductible = onFile.deductible ?? pick(DEDUCTIBLES, 1);
  const remaining = (Math.max(0, Number(deductible)) * ((chance[2] ?? 0) % 101)) / 100;
  const inNetwork = { coverage_level: "individual", network: "in_network" } as const;
  const office: Benefit = { service_type: "Office visit", service_type_code: "98", ...inNetwork };
  const plan: Benefit = { service_type: "Health benefit plan coverage", service_type_code: "30", ...inNetwork };
  return {
    copay: [{ ...office, amount: copay, time_period: "visit" }],
    coinsurance: [{ ...plan, percent: pick(PERCENTAGES, 3) }],
    deductible: [
      { ...plan, amount: deductible, time_period: "calendar_year" },
      { ...plan, amount: remaining.toFixed(2), time_period: "remaining" },
    ],
    out_of_pocket: [
      { ...plan, amount: (Math.max(0, Number(deductible)) * 2 + 2000).toFixed(2), time_period: "calendar_year" },
    ],
    limitations: [{ message: SIMULATED }],
  };
}

function given<K extends string>(name: K, value: string | null): { [P in K]?: string } {
  return value === null ? {} : ({ [name]: value } as { [P in K]: string });
}
