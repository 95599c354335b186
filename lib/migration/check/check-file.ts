import type { Finding } from "@/lib/migration/findings/checks";
import { CompanyDirectory, linkedCompany } from "@/lib/migration/findings/companies";
import { ambiguousIds, companiesByName } from "@/lib/migration/findings/company-lists";
import { examineRecord } from "@/lib/migration/findings/examine-record";
import { FileScan } from "@/lib/migration/findings/file-scan";
import type { KnownCompany } from "@/lib/migration/findings/fixes";
import { findImageProblem } from "@/lib/migration/read/image-problem";
import type { CsvOptions } from "@/lib/migration/read/read-csv";
import { readRecords } from "@/lib/migration/read/read-records";
import type { Columns } from "@/lib/migration/record/columns";
import type { RawRecord } from "@/lib/migration/record/raw-record";
import { type ImageReading, setImagesAside } from "@/lib/migration/record/staged-record";
import { clock } from "@/lib/platform/clock";
import type { Source } from "@/lib/platform/files/source";

export interface CheckRequest {
  source: Source;
  companies: readonly KnownCompany[];
  /** `YYYY-MM-DD` */
  asOf: string;
  /** What the columns of a CSV file are; guessed where left out. */
  columns?: Columns | undefined;
  /** Told once, where the file is CSV. */
  onColumns?: CsvOptions["onColumns"];
  /** `bytesRead` of twice the file. */
  onProgress?: (progress: { bytesRead: number; records: number }) => void;
}

/** A line that can't be read at all. */
export interface UnreadableLine {
  /** The line, or the record's place in an array. */
  line: number;
  reason: string;
}

/** What was found in one record, or why it could not be read. */
export type CheckedRecord =
  | {
      line: number;
      patient: RawRecord;
      findings: Finding[];
      /** Current insurances that the conversion links to a company by their carrier's name. */
      links: number;
    }
  | UnreadableLine;

/**
 * Checks a legacy export record by record, in the order of the file: the conversion checks, without a server or a database.
 * The file is read twice, for an insurance id that is used again is reported on each of its insurances.
 *
 * @throws BusinessRuleError columns_unknown: a CSV file whose headings do not tell what its columns are
 */
export async function* checkFile(request: CheckRequest): AsyncGenerator<CheckedRecord> {
  const { source, companies, asOf, columns, onColumns, onProgress } = request;
  let records = 0;
  const scan = new FileScan();
  for await (const read of readRecords(source, { columns, onColumns })) {
    if (!("reason" in read)) scan.note(read.record);
    onProgress?.({ bytesRead: read.bytesRead, records });
  }
  const listed = companies.map(({ id, carrier }) => ({ externalId: id, id: null, carrier }));
  const known = companies.flatMap(({ id, carrier }) => (id === null ? [] : [{ id, carrier }]));
  const context = {
    asOf,
    now: clock.now(),
    companies: companiesByName(companies),
    directory: new CompanyDirectory(
      known.map(({ id }) => [id, null] as const),
      { named: listed, ambiguous: ambiguousIds(known) },
    ),
    imageProblem: async ({ problem }: RawRecord) => (typeof problem === "string" ? problem : null),
  };
  for await (const read of readRecords(source, { columns })) {
    const { number: line, bytesRead } = read;
    records++;
    if ("reason" in read) yield { line, reason: read.reason };
    else {
      const record = await setImagesAside(read.record, readImage, new Map());
      const neighbors = scan.visit(read.record, line);
      const { findings, patient } = await examineRecord(record, line, {
        ...context,
        ...neighbors,
        faults: read.faults,
      });
      const links = patient?.insurances.filter((entry) => linkedCompany(entry, context.directory)).length ?? 0;
      yield { line, patient: read.record, findings, links };
    }
    onProgress?.({ bytesRead: source.size + bytesRead, records });
  }
}

/** Only whether an image can be read: its bytes are let go at once. */
async function readImage(base64: unknown): Promise<ImageReading> {
  const problem = await findImageProblem(base64);
  return { bytes: problem === null ? new Uint8Array() : null, problem };
}
