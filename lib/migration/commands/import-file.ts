import path from "node:path";
import { clock } from "@/lib/clock";
import { exclusively } from "@/lib/db/exclusive";
import { db } from "@/lib/db/sql";
import { BusinessRuleError } from "@/lib/errors";
import { systemOrigin } from "@/lib/history/origin";
import { listImportedCompanies } from "@/lib/insurers/import-queries";
import { listPhysiciansForImport } from "@/lib/physicians/import-queries";
import { ORPHAN_LOCK } from "@/lib/policies/commands/sweep-orphans";
import { getPracticeRules } from "@/lib/practices/queries";
import type { OpenRun } from "../queries";
import { parseLine } from "../rules/read-record";
import type { CompaniesReport, ImportReport } from "../schema/import";
import { type BatchLine, importBatch, insuranceIds } from "./import-batch";
import { importCompaniesFile } from "./import-companies-file";
import { finishRun, openRun } from "./import-run";
import type { Destination } from "./prepare-patient";
import { fingerprintSource, type Line, readLines } from "./read-lines";
import { fileSource } from "./source";

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
 * @throws BusinessRuleError no_physician: every patient needs one
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
  return exclusively({ name: `import into practice ${practiceId}`, taken, waitMs: 3_000 }, async () => {
    const companies = request.companiesFile
      ? await importCompaniesFile(practiceId, request.companiesFile, ORIGIN)
      : null;
    const known = await listImportedCompanies(db, practiceId);
    const destination = {
      practiceId,
      physicians: new Map(byId),
      firstPhysician: first.id,
      companies: new Map([...known].map(([externalId, { id }]) => [externalId, id])),
    };
    return exclusively({ ...BESIDE_SWEEPS, shared: true }, () =>
      importLines(request, { destination, companies, asOf: rules.now }),
    );
  });
}

async function importLines(
  request: ImportRequest,
  context: { destination: Destination; companies: CompaniesReport | null; asOf: Date },
): Promise<ImportReport> {
  const { practiceId, file, signal } = request;
  const started = performance.now();
  const source = await fileSource(file);
  const { fingerprint, size } = await fingerprintSource(source);
  const opened = await openRun({ practiceId, name: path.basename(file), fingerprint });
  const startLine = opened.run.lines_done;
  const readBefore = opened.run.counters.read;
  const writer = new BatchWriter(opened.run, context.destination);
  for await (const line of readLines(source, { maxBytes: MAX_LINE_BYTES })) {
    if (line.number <= startLine) continue;
    if (signal?.aborted) break;
    await writer.add(line, context.asOf);
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
    companies: context.companies,
    refusals: refused,
    notes: notesOf(writer.run, context.destination),
    seconds,
    lines_per_second: (counters.read - readBefore) / seconds,
  };
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

  async add({ number, bytes }: Line, asOf: Date): Promise<void> {
    const parsed = parseLine({ bytes, maxBytes: MAX_LINE_BYTES }, { asOf, now: clock.now() });
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
