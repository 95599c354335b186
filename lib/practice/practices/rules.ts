import type { Access } from "@/lib/access/identity/access";
import { BusinessRuleError, ConflictError, ValidationError } from "@/lib/platform/errors";
import type { PracticeRules } from "./queries";

type Clock = Pick<PracticeRules, "deprecationDate" | "deprecationMode" | "now">;

/** Whether the legacy insurances are gone for this practice: past the date, and enforced (design §6). */
export function legacyInsurancesEnded(rules: Clock): boolean {
  return rules.deprecationMode === "enforce" && rules.now.getTime() >= deprecationTime(rules).getTime();
}

/** @throws BusinessRuleError legacy_insurances_deprecated (422) once the deadline is enforced */
export function requireLegacyInsurances(rules: Clock): void {
  if (legacyInsurancesEnded(rules)) {
    throw new BusinessRuleError(
      "legacy_insurances_deprecated",
      `insurances was deprecated on ${rules.deprecationDate}. Use /api/2.0/patients/{patient_id}/policies.`,
    );
  }
}

/**
 * For the legacy forms of the staff side, which are for practices without Insurance Versioning: with it, saving would do
 * something else than the form said. Call it inside the transaction, on the rules the write goes by.
 *
 * @throws ConflictError versioning_enabled
 */
export function requireLegacyInterface(rules: Pick<PracticeRules, "insuranceVersioningEnabled">): void {
  if (!rules.insuranceVersioningEnabled) return;
  throw new ConflictError(
    "versioning_enabled",
    "Insurance Versioning was enabled for this practice. Nothing was saved; make the change in the policies.",
  );
}

/**
 * For the staff side's views of history, which a practice without Insurance Versioning does not have (specification, States
 * and transitions). It is kept, and shows again with the switch.
 *
 * @throws ConflictError versioning_disabled
 */
export function requireVersionHistory(rules: Pick<PracticeRules, "insuranceVersioningEnabled">): void {
  if (rules.insuranceVersioningEnabled) return;
  throw new ConflictError(
    "versioning_disabled",
    "Insurance Versioning is off for this practice: no history is shown. It is kept, and shows again once it is on.",
  );
}

/** The headers of an answer that carries legacy insurances. */
export const DEPRECATION_HEADERS = ["Deprecation", "Sunset", "Link"] as const;

/**
 * Headers of an answer that carries legacy insurances: since when they are deprecated (RFC 9745), until when they live
 * (RFC 8594), and what follows them.
 *
 * @param patientId whose they are; null where they are those of many, for whose policies there is a template (RFC 9652)
 */
export function deprecationHeaders(rules: Clock, patientId: number | null, baseUrl: URL): Record<string, string> {
  const date = deprecationTime(rules);
  const policiesOf = (id: number | string) => `${new URL("/api/2.0/patients/", baseUrl).href}${id}/policies`;
  const links: Record<string, string> =
    patientId === null
      ? {
          link: `<${new URL("/docs/guides/deprecation", baseUrl).href}>; rel="deprecation"; type="text/html"`,
          "link-template": `"${policiesOf("{patient_id}")}"; rel="successor-version"`,
        }
      : { link: `<${policiesOf(patientId)}>; rel="successor-version"` };
  return { deprecation: `@${Math.floor(date.getTime() / 1000)}`, sunset: date.toUTCString(), ...links };
}

function deprecationTime(rules: Pick<Clock, "deprecationDate">): Date {
  return new Date(`${rules.deprecationDate}T00:00:00Z`);
}

/**
 * Checks the `practice` a client sends with a record of its own: one it has a right to, and the record's own where the
 * record exists.
 *
 * @param known.field what the practice is called there
 * @throws ValidationError naming it
 */
export function requirePracticeOf(
  access: Access,
  sent: number | undefined,
  { own, field = "practice" }: { own?: number | undefined; field?: string } = {},
): void {
  if (sent === undefined || sent === own) return;
  if (!access.practices.includes(sent)) throw new ValidationError({ [field]: ["No such practice."] });
  if (own !== undefined) throw new ValidationError({ [field]: ["A record can't be moved to another practice."] });
}

/**
 * The days a report is about, both included: unless told, from the first of the month to today.
 *
 * @throws ValidationError where they are the wrong way round
 */
export function reportPeriod(
  asked: { start_date?: string | undefined; end_date?: string | undefined },
  now: Date,
): { startDate: string; endDate: string } {
  const endDate = asked.end_date ?? now.toISOString().slice(0, 10);
  const startDate = asked.start_date ?? `${endDate.slice(0, 7)}-01`;
  if (startDate > endDate) throw new ValidationError({ start_date: ["Must not be after end_date."] });
  return { startDate, endDate };
}
