import type { Access } from "@/lib/access/identity/access";
import { dayFormatter } from "@/lib/api/documents/chart/format";
import { getChart, getChartOwner } from "@/lib/api/documents/chart/queries";
import type { ChartOwner, ChartPart, VisitNote } from "@/lib/api/documents/chart/schema";
import { isoNow } from "@/lib/platform/clock";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import { renderDocument } from "@/lib/platform/jobs/render-document";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { findPhysicians } from "@/lib/practice/physicians/queries";
import { labOrders } from "@/lib/records/catalog/orders/lab-orders";
import { labVendors } from "@/lib/records/catalog/orders/lab-vendors";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { visitNotes } from "@/lib/records/catalog/patient-document/visit-notes";
import { printHeaders } from "@/lib/records/catalog/practice/print-headers";
import type { Data } from "@/lib/records/engine/data-types";
import { getRecord } from "@/lib/records/engine/queries";
import type { RecordRow, Resource } from "@/lib/records/engine/schema";
import {
  type FormContext,
  formatPatientName,
  formatPhysicianName,
  formatterFor,
  patientFacts,
  practiceLetterhead,
  signatureText,
} from "./format";
import { labOrderBlocks } from "./lab-order";
import { reportBlocks, reportTitle } from "./report";
import type { Block, PdfFile, PrintableDocument } from "./schema";
import { summaryBlocks, visitBlocks } from "./visit-note";

/** Who requests a document and waits for it. */
interface Caller {
  access: Access;
  requester: Requester;
}

/**
 * Renders a report as PDF.
 *
 * @throws NotFoundError if the report is absent or another practice's
 * @throws ValidationError naming `print_header`
 * @throws OverloadedError if too many documents are waiting
 */
export async function printReport(caller: Caller, id: number, printHeader?: number): Promise<PdfFile> {
  const { access } = caller;
  const { record, owner } = await getRecordWithOwner(access, reports, id);
  const { data } = record;
  const { context, signature } = await getFormContext(access, owner, data, data.physician);
  const letterhead = await chooseLetterhead(access, record, owner, printHeader);
  const content = { letterhead, title: reportTitle(data), blocks: reportBlocks(data, context), signature };
  return renderFile(caller, owner, `report-${id}`, content);
}

/** Renders a laboratory order as PDF. Throws like printReport. */
export async function printLabOrder(caller: Caller, id: number, printHeader?: number): Promise<PdfFile> {
  const { access } = caller;
  const { record, owner } = await getRecordWithOwner(access, labOrders, id);
  const { data } = record;
  const { context, signature } = await getFormContext(access, owner, data, data.ordering_physician);
  const letterhead = await chooseLetterhead(access, record, owner, printHeader);
  const content = { letterhead, title: "Laboratory order", blocks: labOrderBlocks(data, context), signature };
  return renderFile(caller, owner, `lab-order-${id}`, content);
}

/**
 * Renders a visit note as PDF: the note alone, or a clinical summary that adds problems, medications, allergies and more.
 *
 * @throws NotFoundError if the note is absent or another practice's
 * @throws OverloadedError if too many documents are waiting
 */
export async function printVisit(caller: Caller, id: number, kind: "visit" | "clinical"): Promise<PdfFile> {
  const { access } = caller;
  const { record, owner } = await getRecordWithOwner(access, visitNotes, id);
  const { data } = record;
  const format = formatterFor(owner.practice.timezone);
  const { physician, signature } = await findPeople(access, owner, data, data.physician);
  const visit = visitBlocks(data, { format, physician });
  const summary = kind === "clinical" ? await getSummaryBlocks(access, owner, id) : [];
  const title = kind === "clinical" ? "Clinical summary" : "Visit summary";
  const content = { letterhead: practiceLetterhead(owner), title, blocks: [...visit, ...summary], signature };
  return renderFile(caller, owner, `${kind}-summary-${id}`, content);
}

const SUMMARY_PARTS: readonly ChartPart[] = [
  "problems",
  "medications",
  "discontinuations",
  "immunizations",
  "vitals",
  "allergies",
  "allergyDocumentation",
  "drugIntolerances",
];

async function getSummaryBlocks(
  access: Access,
  { patient, practice }: ChartOwner,
  visitNote: number,
): Promise<Block[]> {
  const { records } = await getChart(access, patient.id, SUMMARY_PARTS);
  const visitVitals = records.vitals.filter(({ data }) => data.visit_note === visitNote);
  const vitals = visitVitals.length > 0 ? visitVitals : records.vitals;
  const today = dayFormatter(practice.timezone)(isoNow()) ?? "";
  return summaryBlocks({ ...records, vitals }, formatterFor(practice.timezone), today);
}

async function getRecordWithOwner<D extends Data>(
  access: Access,
  resource: Resource<D>,
  id: number,
): Promise<{ record: RecordRow<D>; owner: ChartOwner }> {
  const record = await getRecord(access, resource, id);
  if (record.patient_id === null) throw new NotFoundError(resource.noun);
  return { record, owner: await getChartOwner(access, record.patient_id) };
}

type Signed = Pick<VisitNote, "signed_by" | "signed_date" | "signatures">;

async function getFormContext(
  access: Access,
  owner: ChartOwner,
  data: Signed & { vendor?: number | null },
  physicianId: number | undefined,
): Promise<{ context: FormContext; signature: string }> {
  const [{ physician, signature }, vendor] = await Promise.all([
    findPeople(access, owner, data, physicianId),
    findVendorName(access, data.vendor),
  ]);
  return { context: { format: formatterFor(owner.practice.timezone), physician, vendor }, signature };
}

/** Finds the name of a record's physician, and its signature with the names of those who signed. */
async function findPeople(
  access: Access,
  { practice }: ChartOwner,
  record: Signed,
  physicianId: number | undefined,
): Promise<{ physician: string; signature: string }> {
  const physicians = await findPhysicians(access, practice.physicians);
  const physician = physicians.find(({ id }) => id === physicianId);
  const signedBy = record.signed_by ? physicians.find(({ id }) => id === record.signed_by) : undefined;
  const names = record.signatures?.map(({ user_name: name }) => name).filter(Boolean);
  const signer = names?.length ? names.join(" and ") : formatPhysicianName(signedBy);
  const signature = signatureText(record, { signer, format: formatterFor(practice.timezone) });
  return { physician: formatPhysicianName(physician), signature };
}

/** Returns the chosen print header, or the practice's name and address. */
async function chooseLetterhead(
  access: Access,
  { practice_id }: RecordRow,
  owner: ChartOwner,
  printHeader: number | undefined,
): Promise<readonly string[]> {
  if (printHeader === undefined) return practiceLetterhead(owner);
  const chosen = await findRecord(access, printHeaders, printHeader);
  if (chosen?.practice_id !== practice_id) {
    throw new ValidationError({ print_header: ["No such print header in this practice."] });
  }
  const lines = (chosen.data.header ?? "").split(/\r\n?|\n/).map((line) => line.trim());
  const filled = lines.filter((line) => line !== "");
  return filled.length > 0 ? filled : practiceLetterhead(owner);
}

async function findVendorName(access: Access, id: number | null | undefined): Promise<string> {
  const vendor = id ? await findRecord(access, labVendors, id) : null;
  return vendor?.data.display_name ?? vendor?.data.name ?? "";
}

async function findRecord<D extends Data>(
  access: Access,
  resource: Resource<D>,
  id: number,
): Promise<RecordRow<D> | null> {
  return getRecord(access, resource, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
}

async function renderFile(
  { requester }: Caller,
  owner: ChartOwner,
  name: string,
  content: Pick<PrintableDocument, "letterhead" | "title" | "blocks" | "signature">,
): Promise<PdfFile> {
  const document: PrintableDocument = {
    ...content,
    patientName: formatPatientName(owner),
    patient: patientFacts(owner, formatterFor(owner.practice.timezone)),
    createdAt: isoNow(),
  };
  const bytes = await renderDocument<PrintableDocument, Uint8Array>("render-pdf", document, requester);
  return { bytes, filename: `${name}.pdf`, patientId: owner.patient.id };
}

/** Returns a response that browsers show rather than download. */
export function toPdfReply({ bytes, filename, patientId }: PdfFile) {
  return { file: { bytes, contentType: "application/pdf", filename, inline: true }, patients: [patientId] };
}
