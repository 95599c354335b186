import mime from "mime";
import { BusinessRuleError, ValidationError } from "@/lib/platform/errors";
import type { FileContent } from "@/lib/records/engine/schema";

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

/** Sets the date of a document and its date in the chart. The document's date defaults to now, the chart's to the document's. */
export function withDocumentDates<M extends { document_date?: string; chart_date?: string }>({
  data,
  now,
}: {
  data: M;
  now: string;
}) {
  const document_date = data.document_date ?? now;
  return { ...data, document_date, chart_date: data.chart_date ?? document_date };
}

const UNKNOWN = "application/octet-stream";
/** `type/subtype`, as headers take it, without parameters. */
const CONTENT_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/;

/** Decodes a file. Its content type is the one that was sent, or the one its name implies. */
export function toFileContent(file: { base64: string; filename: string; contentType?: string }): FileContent {
  const [sentType] = CONTENT_TYPE.exec(file.contentType ?? "") ?? [];
  return {
    filename: file.filename,
    content_type: sentType ?? mime.getType(file.filename) ?? UNKNOWN,
    content: Buffer.from(file.base64, "base64"),
  };
}
