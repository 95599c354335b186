import { AMOUNT, countCharacters, RELATIONSHIPS, TEXT_LIMITS } from "@/lib/insurance/fields/limits";
import { RANK_WORDS } from "@/lib/insurance/fields/ranks";
import { idOf, isBlank, isCalendarDate, type RawRecord, textOf } from "@/lib/migration/record/raw-record";
import type { CheckContext, Report } from "./check-patient";
import { fixAmount, fixCarrier, fixDate, fixRank, fixRelationship, fixText } from "./fixes";

interface Surroundings {
  /** The patient's current insurances before this one. */
  earlier: readonly RawRecord[];
  /** The patient's current insurances after this one. */
  later: readonly RawRecord[];
  context: CheckContext;
}

const rankOf = ({ rank }: RawRecord) => textOf(rank).toLowerCase();

/** Checks one current insurance. Reports each code once, whatever the number of fields. */
export function checkInsurance(insurance: RawRecord, surroundings: Surroundings, report: Report): void {
  const { context } = surroundings;
  checkRank(insurance, surroundings, report);
  if (isBlank(insurance.member_id)) report("member_id_missing", { field: "member_id", message: "member_id: missing." });
  checkCarrier(insurance, context, report);
  checkDates(insurance, context, report);
  checkAmounts(insurance, report);
  checkLengths(insurance, report);
  checkRelationship(insurance, report);
  const id = idOf(insurance);
  if (id !== null && context.reusedIds.has(textOf(id))) {
    report("insurance_id_reused", {
      field: "id",
      found: id,
      message: `id: ${id} stands on another current insurance too.`,
    });
  }
}

function checkRank(insurance: RawRecord, { earlier, later }: Surroundings, report: Report): void {
  const rank = rankOf(insurance);
  const [field, found] = ["rank", insurance.rank];
  if (rank === "") {
    report("rank_missing", { field, message: "rank: missing." });
    return;
  }
  if (!RANK_WORDS.some((word) => word === rank)) {
    const fix = fixRank(rank, [...earlier, ...later].map(rankOf));
    report("rank_unknown", { field, found, message: "rank: none of primary, secondary, tertiary.", fix });
  }
  if (earlier.some((other) => rankOf(other) === rank)) {
    report("rank_duplicate", { field, found, message: `rank: an earlier current insurance is ${rank} too.` });
  }
}

function checkCarrier({ carrier, insurance_company }: RawRecord, { companies }: CheckContext, report: Report): void {
  if (!isBlank(insurance_company)) return;
  const name = textOf(carrier).toLowerCase();
  if (name === "") {
    report("carrier_missing", { field: "carrier", message: "carrier: missing, and no insurance_company." });
  } else if (!companies.has(name)) {
    const fix = fixCarrier(name, companies);
    const message = "carrier: none of the practice's companies, and no insurance_company.";
    report("carrier_unmatched", { field: "carrier", found: carrier, message, fix });
  }
}

function checkDates(insurance: RawRecord, { asOf }: CheckContext, report: Report): void {
  const { start_date: start, end_date: end } = insurance;
  const invalid = ["start_date", "end_date"].filter(
    (field) => !isBlank(insurance[field]) && !isCalendarDate(insurance[field]),
  );
  const [field] = invalid;
  if (field) {
    const message = `${invalid.join(", ")}: not a valid date (YYYY-MM-DD).`;
    report("date_invalid", { field, found: insurance[field], message, fix: fixDate(insurance, invalid) });
    return;
  }
  if (!isCalendarDate(end)) return;
  if (isCalendarDate(start) && end < start) {
    report("date_order", { field: "end_date", found: end, message: `end_date: before start_date, ${start}.` });
  } else if (end < asOf) report("expired", { field: "end_date", found: end, message: `end_date: before ${asOf}.` });
}

/** Returns whether the conversion accepts an amount: blank, or decimal text. */
function isAmount(value: unknown): boolean {
  return isBlank(value) || (typeof value === "string" && AMOUNT.test(value));
}

function checkAmounts(insurance: RawRecord, report: Report): void {
  const invalid = ["copay", "deductible"].filter((field) => !isAmount(insurance[field]));
  const [field] = invalid;
  if (!field) return;
  const message = `${invalid.join(", ")}: no decimal of at most 8 + 2 digits, written as a text.`;
  report("decimal_invalid", { field, found: insurance[field], message, fix: fixAmount(insurance, invalid) });
}

function checkLengths(insurance: RawRecord, report: Report): void {
  const long = Object.entries(TEXT_LIMITS).filter(([field, most]) => {
    const value = insurance[field];
    return typeof value === "string" && countCharacters(value) > most;
  });
  const [first] = long;
  if (!first) return;
  const [field] = first;
  const message = long.map(([name, most]) => `${name}: longer than ${most} characters`).join("; ");
  report("field_too_long", { field, found: insurance[field], message: `${message}.`, fix: fixText(insurance, long) });
}

function checkRelationship(insurance: RawRecord, report: Report): void {
  const { relationship_to_insured: relationship } = insurance;
  if (isBlank(relationship)) return;
  if (!RELATIONSHIPS.some((known) => known === relationship)) {
    const message = "relationship_to_insured: none of Child, Other, Spouse.";
    const fix = fixRelationship(textOf(relationship));
    report("relationship_unknown", { field: "relationship_to_insured", found: relationship, message, fix });
    return;
  }
  const missing = ["insured_person_first_name", "insured_person_last_name"].filter((field) =>
    isBlank(insurance[field]),
  );
  const [field] = missing;
  if (field) report("insured_person_missing", { field, message: `${missing.join(", ")}: missing.` });
}
