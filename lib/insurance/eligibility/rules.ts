import type { EligibilityAnswer } from "./provider";
import type { Benefit, EligibilityDetails } from "./schema";

/** Office visits come first, then the plan as a whole, because that is what the front desk collects for. */
const SERVICE_TYPES = ["98", "30"];

/** Picks the values that the front desk needs from an answer. A value is ambiguous if the payer reported several. */
export function toDetails({ errors, benefits }: EligibilityAnswer): EligibilityDetails {
  const copay = pickValue(benefits.copay, "amount");
  const coinsurance = pickValue(benefits.coinsurance, "percent");
  const isRemaining = ({ time_period }: Benefit) => time_period === "remaining";
  const deductible = pickValue(
    benefits.deductible.filter((benefit) => !isRemaining(benefit)),
    "amount",
  );
  const remaining = pickValue(benefits.deductible.filter(isRemaining), "amount");
  return {
    ...(coinsurance && { coinsurance: coinsurance.value, coinsurance_ambiguous: coinsurance.isAmbiguous }),
    ...(copay && { copay: Number(copay.value), copay_ambiguous: copay.isAmbiguous }),
    ...(deductible && { deductible: deductible.value, deductible_ambiguous: deductible.isAmbiguous }),
    ...(remaining && {
      deductible_remaining: remaining.value,
      deductible_remaining_ambiguous: remaining.isAmbiguous,
    }),
    errors,
  };
}

/** Returns the value for an individual in the network, of the first service type that has one. Null if there is none. */
function pickValue(
  all: readonly Benefit[],
  field: "amount" | "percent",
): { value: string; isAmbiguous: boolean } | null {
  const usable = all.filter((benefit) => benefit[field] !== undefined && benefit.network !== "out_of_network");
  const individual = usable.filter(({ coverage_level: level }) => level === undefined || level === "individual");
  const candidates = individual.length > 0 ? individual : usable;
  const type = SERVICE_TYPES.find((code) => candidates.some((benefit) => benefit.service_type_code === code));
  const ofType = candidates.filter((benefit) => type === undefined || benefit.service_type_code === type);
  const values = new Set(ofType.map((benefit) => benefit[field]));
  const [value] = values;
  return value === undefined ? null : { value, isAmbiguous: values.size > 1 };
}
