import type { Access } from "@/lib/access/identity/access";
import { dayFormatter } from "@/lib/api/documents/chart/format";
import { getChart, getChartOwner } from "@/lib/api/documents/chart/queries";
import type { ChartOwner, Entry, LabOrder, Report, VisitNote } from "@/lib/api/documents/chart/schema";
import { isoNow } from "@/lib/platform/clock";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import { makeDocument } from "@/lib/platform/jobs/make-document";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { findPhysicians } from "@/lib/practice/physicians/queries";
import { labOrders } from "@/lib/records/catalog/orders/lab-orders";
import { labVendors } from "@/lib/records/catalog/orders/lab-vendors";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { visitNotes } from "@/lib/records/catalog/patient-document/visit-notes";
import { printHeaders } from "@/lib/records/catalog/practice/print-headers";
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
import { backgroundBlocks, visitBlocks } from "./visit-note";

/** Who wants a paper, and waits for it to be drawn. */
interface DocumentRequest {
  access: Access;
  requester: Requester;
}

/**
 * A report on paper.
 *
 * @throws NotFoundError where the report is absent or another practice's
 * @throws ValidationError naming `print_header`
 * @throws OverloadedError where too many papers wait to be drawn
 */
export function printReport(reader: DocumentRequest, id: number, printHeader?: number): Promise<PdfFile> {
  return printForm<Report>(reader, id, printHeader, {
    resource: reports,
    physicianOf: ({ physician }) => physician,
    titleOf: reportTitle,
    blocksOf: reportBlocks,
    name: "report",
  });
}

/** A laboratory order on paper; throws as printReport. */
export function printLabOrder(reader: DocumentRequest, id: number, printHeader?: number): Promise<PdfFile> {
  return printForm<LabOrder>(reader, id, printHeader, {
    resource: labOrders,
    physicianOf: ({ ordering_physician }) => ordering_physician,
    titleOf: () => "Laboratory order",
    blocksOf: labOrderBlocks,
    name: "lab-order",
  });
}

type Signed = Partial<Pick<VisitNote, "signed_by" | "signed_date" | "signatures">>;

/** What tells one form from another: both have a vendor, a signature, and a heading that can be chosen. */
interface Form<T> {
  resource: Resource;
  physicianOf: (data: Partial<T>) => number | undefined;
  titleOf: (data: Partial<T>) => string;
  blocksOf: (data: Partial<T>, words: FormContext) => Block[];
  /** The beginning of the file's name. */
  name: string;
}

async function printForm<T extends Signed & { vendor: number | null }>(
  { access, requester }: DocumentRequest,
  id: number,
  printHeader: number | undefined,
  { resource, physicianOf, titleOf, blocksOf, name }: Form<T>,
): Promise<PdfFile> {
  const { entry, row, owner } = await getPrintableRecord<T>(access, resource, id);
  const { data } = entry;
  const [{ physician, signature }, vendor] = await Promise.all([
    findPeople(access, owner, data, physicianOf(data)),
    findVendorName(access, data.vendor),
  ]);
  const letterhead = await chooseLetterhead(access, row, owner, printHeader);
  const blocks = blocksOf(data, { format: formatterFor(owner.practice.timezone), physician, vendor });
  const content = { letterhead, title: titleOf(data), blocks, signature };
  return renderFile({ owner, requester, name: `${name}-${id}` }, content);
}

/**
 * The note of a visit on paper: alone, or as a clinical summary with what the patient has and takes.
 *
 * @throws NotFoundError where the note is absent or another practice's
 * @throws OverloadedError where too many papers wait to be drawn
 */
export async function printVisit(
  { access, requester }: DocumentRequest,
  id: number,
  kind: "visit" | "clinical",
): Promise<PdfFile> {
  const { entry, owner } = await getPrintableRecord<VisitNote>(access, visitNotes, id);
  const { data } = entry;
  const format = formatterFor(owner.practice.timezone);
  const { physician, signature } = await findPeople(access, owner, data, data.physician);
  const visit = visitBlocks(data, { format, physician });
  const background = kind === "clinical" ? await getBackground(access, owner, id) : [];
  const title = kind === "clinical" ? "Clinical summary" : "Visit summary";
  const letterhead = practiceLetterhead(owner);
  const content = { letterhead, title, blocks: [...visit, ...background], signature };
  return renderFile({ owner, requester, name: `${kind}-summary-${id}` }, content);
}

const BACKGROUND = [
  ...(["problems", "medications", "discontinuations", "immunizations", "vitals"] as const),
  ...(["allergies", "allergyDocumentation", "drugIntolerances"] as const),
] as const;

async function getBackground(access: Access, { patient, practice }: ChartOwner, visitNote: number): Promise<Block[]> {
  const { records } = await getChart(access, patient.id, BACKGROUND);
  const visitVitals = records.vitals.filter(({ data }) => data.visit_note === visitNote);
  const vitals = visitVitals.length > 0 ? visitVitals : records.vitals;
  const today = dayFormatter(practice.timezone)(isoNow()) ?? "";
  return backgroundBlocks({ ...records, vitals }, formatterFor(practice.timezone), today);
}

async function getPrintableRecord<T>(access: Access, resource: Resource, id: number) {
  const row = await getRecord(access, resource, id);
  if (row.patient_id === null) throw new NotFoundError(resource.noun);
  const owner = await getChartOwner(access, row.patient_id);
  const entry: Entry<T> = { id, createdDate: row.created_date, data: row.data as Partial<T> };
  return { entry, row, owner };
}

/** The physician of a record, and who signed it: a physician of the practice, or whom its signatures name. */
async function findPeople(
  access: Access,
  { practice }: ChartOwner,
  record: Signed,
  physicianId: number | undefined,
): Promise<{ physician: string; signature: string }> {
  const physicians = await findPhysicians(access, practice.physicians);
  const own = physicians.find(({ id }) => id === physicianId);
  const signing = record.signed_by ? physicians.find(({ id }) => id === record.signed_by) : undefined;
  const named = record.signatures?.map(({ user_name: name }) => name).filter(Boolean);
  const signer = named?.length ? named.join(" and ") : formatPhysicianName(signing);
  const signature = signatureText(record, { signer, format: formatterFor(practice.timezone) });
  return { physician: formatPhysicianName(own), signature };
}

/** The heading that was chosen, or the practice's own. */
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
  const lines = String(chosen.data.header ?? "").split(/\r\n?|\n/);
  const filled = lines.map((line) => line.trim()).filter((line) => line !== "");
  return filled.length > 0 ? filled : practiceLetterhead(owner);
}

async function findVendorName(access: Access, id: number | null | undefined): Promise<string> {
  const vendor = id ? await findRecord(access, labVendors, id) : null;
  return String(vendor?.data.display_name ?? vendor?.data.name ?? "");
}

async function findRecord(access: Access, resource: Resource, id: number): Promise<RecordRow | null> {
  return getRecord(access, resource, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
}

async function renderFile(
  { owner, requester, name }: { owner: ChartOwner; requester: Requester; name: string },
  content: Pick<PrintableDocument, "letterhead" | "title" | "blocks" | "signature">,
): Promise<PdfFile> {
  const format = formatterFor(owner.practice.timezone);
  const paper: PrintableDocument = {
    ...content,
    patientName: formatPatientName(owner),
    patient: patientFacts(owner, format),
    createdAt: isoNow(),
  };
  const bytes = await makeDocument<PrintableDocument, Uint8Array>("render-pdf", paper, requester);
  return { bytes, filename: `${name}.pdf`, patientId: owner.patient.id };
}
