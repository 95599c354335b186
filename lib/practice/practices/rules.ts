import type { Access } from "@/lib/access/identity/access";
import { absentRecords, BusinessRuleError, ConflictError, ValidationError } from "@/lib/platform/errors";
import type { PracticeRules } from "./queries";

type Clock = Pick<PracticeRules, "deprecationDate" | "deprecationMode" | "now">;

/** Returns whether legacy insurances have ended for this practice: the date has passed and is enforced. */
export function legacyInsurancesEnded(rules: Clock): boolean {
  return rules.deprecationMode === "enforce" && rules.now.getTime() >= deprecationTime(rules).getTime();
}

/** @throws BusinessRuleError legacy_insurances_deprecated (422), if the deadline is enforced */
export function requireLegacyInsurances(rules: Clock): void {
  if (legacyInsurancesEnded(rules)) {
    throw new BusinessRuleError(
      "legacy_insurances_deprecated",
      `insurances was deprecated on ${rules.deprecationDate}. Use /api/2.0/patients/{patient_id}/policies.`,
    );
  }
}

/**
 * Requires that a practice does not use Insurance Versioning. Legacy forms on staff pages call this, because with versioning
 * they would not save what they show. Call it in the transaction of the write, with the rules the write uses.
 *
 * @throws ConflictError versioning_enabled
 */
export function requireLegacyInterface(rules: Pick<PracticeRules, "insuranceVersioningEnabled">): void {
  if (!rules.insuranceVersioningEnabled) return;
  throw new ConflictError(
    "versioning_enabled",
    "Insurance Versioning was turned on for this practice. Nothing was saved. Make the change in the policies instead.",
  );
}

/**
 * Requires that a practice uses Insurance Versioning, for pages that show version history (specification, States and
 * transitions). The history is kept while the switch is off.
 *
 * @throws ConflictError versioning_disabled
 */
export function requireVersionHistory(rules: Pick<PracticeRules, "insuranceVersioningEnabled">): void {
  if (rules.insuranceVersioningEnabled) return;
  throw new ConflictError(
    "versioning_disabled",
    "Insurance Versioning is off for this practice, so version history is hidden. It is kept and shown again when Insurance Versioning is turned on.",
  );
}

/** Headers of responses with legacy insurances. */
export const DEPRECATION_HEADERS = ["Deprecation", "Sunset", "Link"] as const;

/**
 * Builds the headers of a response with legacy insurances: the date of deprecation (RFC 9745), the date of sunset (RFC 8594),
 * and a link to the policies that replace them.
 *
 * @param patientId the patient the insurances belong to; null if there are several, for a link template (RFC 9652)
 */
export function deprecationHeaders(rules: Clock, patientId: number | null, baseUrl: URL): Record<string, string> {
  const date = deprecationTime(rules);
  const policiesUrl = (id: number | string) => `${new URL("/api/2.0/patients/", baseUrl).href}${id}/policies`;
  const links: Record<string, string> =
    patientId === null
      ? {
          link: `<${new URL("/docs/guides/deprecation", baseUrl).href}>; rel="deprecation"; type="text/html"`,
          "link-template": `"${policiesUrl("{patient_id}")}"; rel="successor-version"`,
        }
      : { link: `<${policiesUrl(patientId)}>; rel="successor-version"` };
  return { deprecation: `@${Math.floor(date.getTime() / 1000)}`, sunset: date.toUTCString(), ...links };
}

function deprecationTime(rules: Pick<Clock, "deprecationDate">): Date {
  return new Date(`${rules.deprecationDate}T00:00:00Z`);
}

/**
 * Requires that the caller can access the `practice` sent with a record, and that an existing record stays in its practice.
 *
 * @param current the practice of the existing record
 * @param field name of the field, for the error
 * @throws ValidationError
 */
export function requireOwnPractice(
  access: Access,
  sent: number | undefined,
  { current, field = "practice" }: { current?: number | undefined; field?: string } = {},
): void {
  if (sent === undefined || sent === current) return;
  if (!access.practices.includes(sent)) throw new ValidationError({ [field]: absentRecords(sent) });
  if (current !== undefined) throw new ValidationError({ [field]: ["A record can't be moved to another practice."] });
}

/**
 * Returns the first and last day of a report. The default is the current month up to today.
 *
 * @throws ValidationError if the first day is after the last
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
