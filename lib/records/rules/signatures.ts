import { BusinessRuleError, ValidationError } from "@/lib/platform/errors";

type Signer = { signed_by?: number | null };
type Dated<N extends string> = { [K in N]?: string | null };

/** The parts of a write that a signature depends on. */
interface SignedWrite<N extends string, M> {
  data: M;
  before: (Signer & Dated<N>) | null;
  now: string;
}

/**
 * Sets who signed a document and when. The time of a signature defaults to now. A signature can't be removed or changed
 * (specification, Authentication 8).
 *
 * @throws ValidationError if a time is sent without a signer
 * @throws BusinessRuleError already_signed
 */
export function withSignature<M extends Signer & Dated<"signed_date">>(write: SignedWrite<"signed_date", M>): M {
  return signOn("signed_date", write);
}

/** Does the same for documents whose time of signature has another name. */
export function signOn<N extends string, M extends Signer & Dated<N>>(
  field: N,
  { data, before, now }: SignedWrite<N, M>,
): M {
  const signedBy = data.signed_by ?? null;
  const signedDate = data[field] ?? null;
  if (before?.signed_by && (signedBy !== before.signed_by || signedDate !== before[field])) {
    throw new BusinessRuleError("already_signed", "This document is signed. Its signature can't be changed.");
  }
  if (signedBy === null && signedDate !== null) {
    throw new ValidationError({ signed_by: [`Is required with ${field}.`] });
  }
  return { ...data, [field]: signedBy === null ? null : (signedDate ?? now) };
}
