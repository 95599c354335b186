import { BusinessRuleError, ValidationError } from "@/lib/platform/errors";
import type { Data, Write } from "@/lib/records/engine/schema";

/**
 * Who signed a document, and when: a signature without a time is of now, and what was signed stays signed by whom and when it
 * was (specification, Authentication 8).
 *
 * @param date what the time is called
 * @throws ValidationError where a time is sent without who signed
 * @throws BusinessRuleError already_signed
 */
export function withSignature(
  { data, before, now }: Pick<Write, "data" | "before" | "now">,
  date = "signed_date",
): Data {
  const { signed_by = null, [date]: signedDate = null } = data;
  if (before?.signed_by && (signed_by !== before.signed_by || signedDate !== before[date])) {
    throw new BusinessRuleError("already_signed", "This was signed: by whom and when can't be changed.");
  }
  if (signed_by === null && signedDate !== null) {
    throw new ValidationError({ signed_by: [`Is required where ${date} is sent.`] });
  }
  return { ...data, [date]: signed_by === null ? null : (signedDate ?? now) };
}
