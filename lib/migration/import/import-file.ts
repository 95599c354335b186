import path from "node:path";
import { systemOrigin } from "@/lib/access/identity/origin";
import { ORPHAN_LOCK } from "@/lib/insurance/images/sweep-orphans";
import { findCompanies } from "@/lib/migration/check/check-run";
import { withImages } from "@/lib/migration/convert/prepare-patient";
import { describeErrors } from "@/lib/migration/findings/describe-findings";
import { type ExamineContext, examineRecord } from "@/lib/migration/findings/examine-record";
import { FileScan } from "@/lib/migration/findings/file-scan";
import { type BatchLine, importBatch, insuranceIds, type ParsedLine } from "@/lib/migration/import/import-batch";
import type { Destination } from "@/lib/migration/plan/target-patient";
import { importCompaniesFile } from "@/lib/migration/read/import-companies-file";
import { openExport } from "@/lib/migration/read/open-export";
import { detectFormat, readValue } from "@/lib/migration/read/read-records";
import { readImage } from "@/lib/migration/read/stage-records";
import type { RawRecord } from "@/lib/migration/record/raw-record";
import { fingerprintOf } from "@/lib/migration/record/read-record";
import type { CompaniesReport, ImportReport } from "@/lib/migration/record/schema";
import { type SetAsideImage, setImagesAside } from "@/lib/migration/record/staged-record";
import { clock } from "@/lib/platform/clock";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { db } from "@/lib/platform/db/sql";
import { BusinessRuleError } from "@/lib/platform/errors";
import { fingerprintSource, type Line, readLines } from "@/lib/platform/files/read-lines";
import { fileSource, type Source } from "@/lib/platform/files/source";
import { listPhysiciansForImport } from "@/lib/practice/physicians/import-queries";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import { finishRun, openRun } from "./import-progress";
import type { OpenRun } from "./queries";

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const BATCH_LINES = 100;
const BATCH_BYTES = 8 * 1024 * 1024;

export interface ImportRequest {
  practiceId: number;
  /** A legacy export: one patient a line. */
  file: string;
  companiesFile: string | null;
  onProgress?: (progress: { bytesRead: number; size: number; lines: number }) => void;
  /** Asks the import to stop after the batch in hand. */
  signal?: AbortSignal;
}

const ORIGIN = systemOrigin({ name: "Legacy import", source: "migration", operation: "migration.import" });

const BESIDE_SWEEPS = {
  name: ORPHAN_LOCK,
  taken: "Orphaned card images are being deleted. Run this again in a moment.",
  waitMs: 60_000,
};

/**
 * Imports a legacy export into a practice: patients, legacy records, cards, policies and their history, in batches, each
 * in one transaction with the progress of the run. A run that was cut short goes on where it stood; a second run of the
 * same lines changes nothing.
 *
 * @throws NotFoundError the practice is absent
 * @throws BusinessRuleError no_physician: every patient needs one; format_unknown, file_unreadable: the file is no NDJSON
 * @throws ConflictError already_running: another process imports into this practice
 */
export async function importLegacyFile(request: ImportRequest): Promise<ImportReport> {
  const { practiceId } = request;
  const rules = await getPracticeRules(db, practiceId);
  const physicians = await listPhysiciansForImport(db, practiceId);
  const [first] = physicians;
  if (!first) {
    throw new BusinessRuleError(
      "no_physician",
      `Practice ${practiceId} has no physician, and every patient needs one.`,
    );
  }
  const byId = physicians.flatMap(({ id, external_id }) => (external_id === null ? [] : [[external_id, id] as const]));
  const taken = `Another import into practice ${practiceId} is running. Wait for it to end, then run this again.`;
  return withAdvisoryLock({ name: `import into practice ${practiceId}`, taken, waitMs: 3_000 }, async () => {
    const imported = request.companiesFile
      ? await importCompaniesFile(practiceId, request.companiesFile, ORIGIN)
      : null;
    const known = await findCompanies({ practice_id: practiceId, companies: imported?.companies ?? [] });
    const destination = {
      practiceId,
      physicians: new Map(byId),
      firstPhysician: first.id,
      companies: known.byExternalId,
    };
    const context = { companies: known.names, directory: known.byExternalId, asOf: dayOf(rules.now) };
    return withAdvisoryLock({ ...BESIDE_SWEEPS, shared: true }, () =>
      importLines(request, { destination, companies: imported?.report ?? null, context }),
    );
  });
}

async function importLines(
  request: ImportRequest,
  { destination, companies, context }: { destination: Destination; companies: CompaniesReport | null; context: Known },
): Promise<ImportReport> {
  const { practiceId, file, signal } = request;
  const started = performance.now();
  const source = await fileSource(file);
  await requireLines(source);
  const { fingerprint, size } = await fingerprintSource(source);
  const opened = await openRun({ practiceId, name: path.basename(file), fingerprint });
  const startLine = opened.run.lines_done;
  const readBefore = opened.run.counters.read;
  const writer = new BatchWriter(opened.run, destination);
  const scan = new FileScan();
  for await (const { bytes } of readLines(source, { maxBytes: MAX_LINE_BYTES })) {
    const read = readLine(bytes);
    if ("record" in read) scan.note(read.record);
  }
  for await (const line of readLines(source, { maxBytes: MAX_LINE_BYTES })) {
    const read = readLine(line.bytes);
    // Lines that are done already still count for those after them.
    const neighbors = "record" in read ? scan.visit(read.record, line.number) : null;
    if (line.number <= startLine) continue;
    if (signal?.aborted) break;
    const isRead = "record" in read && neighbors !== null;
    const parsed = isRead ? await parseRecord(read.record, line.number, { ...context, ...neighbors }) : read;
    await writer.add(line, parsed as ParsedLine);
    request.onProgress?.({ bytesRead: line.bytesRead, size, lines: writer.run.lines_done });
  }
  if (!signal?.aborted) await writer.flush();
  if (!signal?.aborted) await finishRun(writer.run);
  const seconds = (performance.now() - started) / 1000;
  const { counters, refused } = writer.run;
  return {
    practice: practiceId,
    ...counters,
    resumed_after_line: opened.resumed ? startLine : null,
    finished: !signal?.aborted,
    companies,
    refusals: refused,
    notes: notesOf(writer.run, destination),
    seconds,
    lines_per_second: (counters.read - readBefore) / seconds,
  };
}

/** What records are examined against, besides each other. */
type Known = Pick<ExamineContext, "companies" | "directory" | "asOf">;

const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** Anything but NDJSON would be refused line by line. */
async function requireLines(source: Source): Promise<void> {
  const opened = await openExport(source);
  opened.close();
  const isText = "source" in opened && opened.originalRead === undefined;
  if (isText && (await detectFormat(source)) === "lines") return;
  throw new BusinessRuleError(
    "format_unknown",
    "An import takes NDJSON, one patient a line and not packed. `crosswalk convert` takes the other forms of an export.",
  );
}

/** The one record of a line, or why there is none. */
function readLine(bytes: Uint8Array | null): { record: RawRecord } | { reason: string } {
  const [read, ...others] = readValue(bytes);
  if (!read) return { reason: "has no record" };
  return others.length === 0 ? read : { reason: "has several records: import takes one patient a line" };
}

/** A record as the checks and the conversion read it; or every error that was found in it. */
async function parseRecord(
  sent: RawRecord,
  line: number,
  context: Omit<ExamineContext, "now" | "imageProblem">,
): Promise<ParsedLine> {
  const images = new Map<string, SetAsideImage>();
  const record = await setImagesAside(sent, readImage, images);
  const imageProblem = async ({ problem }: RawRecord) => (typeof problem === "string" ? problem : null);
  const { findings, patient } = await examineRecord(record, line, { ...context, imageProblem, now: clock.now() });
  const errors = findings.filter(({ severity }) => severity === "error");
  if (patient === null || errors.length > 0) return { reason: describeErrors(errors) };
  const whole = withImages(patient, new Map([...images].map(([place, { bytes }]) => [place, bytes])));
  return { patient: whole, fingerprint: fingerprintOf(whole) };
}

/** Gathers lines to batches: of bounded length and size, and without two lines that depend on each other. */
class BatchWriter {
  run: OpenRun;
  readonly #destination: Destination;
  #lines: BatchLine[] = [];
  #bytes = 0;
  readonly #patients = new Set<number>();
  readonly #insurances = new Set<number>();

  constructor(run: OpenRun, destination: Destination) {
    this.run = run;
    this.#destination = destination;
  }

  async add({ number, bytes }: Line, parsed: ParsedLine): Promise<void> {
    const length = bytes?.length ?? 0;
    const full = this.#lines.length >= BATCH_LINES || this.#bytes + length > BATCH_BYTES;
    const patient = "patient" in parsed ? parsed.patient : null;
    const insurances = patient ? insuranceIds(patient) : [];
    const meets = patient && (this.#patients.has(patient.id) || insurances.some((id) => this.#insurances.has(id)));
    if (full || meets) await this.flush();
    this.#lines.push({ ...parsed, line: number });
    this.#bytes += length;
    if (patient) this.#patients.add(patient.id);
    for (const id of insurances) this.#insurances.add(id);
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    this.run = await importBatch(this.run, this.#lines, { destination: this.#destination, origin: ORIGIN });
    this.#lines = [];
    this.#bytes = 0;
    this.#patients.clear();
    this.#insurances.clear();
  }
}

function notesOf({ counters }: OpenRun, { firstPhysician }: Destination): string[] {
  const unknown = Object.entries(counters.unknown_physicians).map(
    ([id, patients]) =>
      `Physician ${id} is unknown in this practice: ${patients} patients of theirs were given to physician ${firstPhysician}.`,
  );
  const plans = counters.dropped_plan_ids;
  const dropped = `${plans} insurances named their plan by an id that means nothing here: only the text of \`plan\` was kept.`;
  return plans > 0 ? [...unknown, dropped] : unknown;
}
