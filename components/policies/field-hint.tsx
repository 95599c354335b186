import type { ReactNode } from "react";
import type { TermName } from "@/components/help/messages/terms";
import { TermHint } from "@/components/help/term-hint";

/** The fields whose labels newcomers ask about. */
const TERMS: Readonly<Record<string, TermName>> = {
  rank: "rank",
  carrier: "payer",
  payment_program: "paymentProgram",
  member_id: "memberId",
  group_id: "groupNumber",
  relationship_to_insured: "relationship",
  start_date: "effectiveDate",
  end_date: "terminationDate",
  copay: "copay",
  deductible: "deductible",
  insured_person_first_name: "subscriber",
};

/** Returns the question mark for a field's label, or undefined if the label speaks for itself. */
export function fieldHint(name: string, { forInput = false } = {}): ReactNode {
  const term = Object.hasOwn(TERMS, name) ? TERMS[name] : undefined;
  return term && <TermHint name={term} forInput={forInput} />;
}
