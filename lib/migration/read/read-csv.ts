import { type Columns, columnsProblem, guessColumns, isNumberTarget, readRow } from "@/lib/migration/record/columns";
import { type RawRecord, type RowFault, textOf } from "@/lib/migration/record/raw-record";
import { BusinessRuleError } from "@/lib/platform/errors";
import { type TableRow, unformatNumbers } from "@/lib/platform/files/read-rows";
import { READING_LIMITS } from "@/lib/platform/files/reading-limits";
import { type PatientRows, RowGroups } from "./group-rows";
import type { ReadRecord } from "./read-records";

export interface CsvOptions {
  /** The field of each column; detected from the headings if omitted. */
  columns?: Columns | undefined;
  /** Called once with the field of each column. */
  onColumns?: ((headings: readonly string[], columns: Columns) => void) | undefined;
  /** Called with each part of the file, and while rows are grouped. */
  onStep?: (() => void) | undefined;
}

/** The columns of a table. */
interface TableColumns {
  headings: readonly string[];
  columns: Columns;
  /** Position of the patient's id. */
  idAt: number;
}

/** Marks a row without a patient ID. IDs are digits. */
const NOBODY = "\u0000";

/**
 * Reads the patients of a table that has one insurance per row. The rows of a patient can be anywhere in it (ADR 0141),
 * and the first one numbers the record. A patient with rejected rows has faults and must not be converted. A rejected
 * row without a patient id is a separate record, and a fault of the patients before and after it, because it may belong
 * to either.
 *
 * @throws BusinessRuleError columns_unknown: the headings don't determine the columns
 */
export async function* readTable(
  rows: AsyncIterable<TableRow>,
  { columns, onColumns, onStep }: CsvOptions,
): AsyncGenerator<ReadRecord> {
  let table: TableColumns | null = null;
  const groups = new RowGroups({ onStep });
  try {
    const sorter = new Sorter(groups);
    for await (const row of rows) {
      onStep?.();
      if (table) sorter.add(row, table);
      else {
        table = readHeadings(row, columns);
        onColumns?.(table.headings, table.columns);
      }
    }
    if (table) for (const group of groups.groups()) yield toRecord(group, table);
  } finally {
    groups.close();
  }
}

function readHeadings(row: TableRow, columns: Columns | undefined): TableColumns {
  const headings = "cells" in row ? row.cells : [];
  const meaning = columns ?? guessColumns(headings);
  const problem = "reason" in row ? `line ${row.number} ${row.reason}` : columnsProblem(headings, meaning);
  if (problem) throw new BusinessRuleError("columns_unknown", problem);
  return { headings, columns: meaning, idAt: headings.findIndex((heading) => meaning[heading] === "patient.id") };
}

/** Assigns each row to its patient, and rows without a patient ID to their neighbors. */
class Sorter {
  readonly #groups: RowGroups;
  #before: string | null = null;
  /** Rows without a patient ID since the last row with one. */
  #unassigned: { line: number; bytesRead: number }[] = [];

  constructor(groups: RowGroups) {
    this.#groups = groups;
  }

  add(row: TableRow, table: TableColumns): void {
    unformatNumbers(row, (column) => isNumberTarget(table.columns[table.headings[column] ?? ""]));
    const { number: line, bytesRead } = row;
    if ("cells" in row && row.cells.every((cell) => cell === "")) return;
    const fault = "reason" in row ? row.reason : cellsProblem(row.cells, table);
    const patient = findPatientId(row, fault, table);
    if (patient === null) {
      this.#groups.add(`${NOBODY}${line}`, { line, bytesRead, fault: fault ?? idProblem(row, table) });
      // A patient can't have more rows than this, so more would only fill the memory.
      if (this.#unassigned.length === READING_LIMITS.rowsPerPatient) return;
      this.#unassigned.push({ line, bytesRead });
      if (this.#before !== null) this.#suspect(this.#before, { line, bytesRead });
      return;
    }
    if (fault !== null) this.#groups.add(patient, { line, bytesRead, fault });
    else if ("cells" in row) this.#groups.add(patient, { line, bytesRead, cells: row.cells });
    if (patient !== this.#before) for (const other of this.#unassigned) this.#suspect(patient, other);
    this.#unassigned = [];
    this.#before = patient;
  }

  #suspect(patient: string, { line, bytesRead }: { line: number; bytesRead: number }): void {
    this.#groups.add(patient, { line, bytesRead, fault: "has no patient ID, and may belong to this patient" });
  }
}

function idProblem(row: TableRow, { idAt }: TableColumns): string {
  const isEmpty = "cells" in row && row.cells[idAt] === "";
  return isEmpty ? "has no patient ID" : "has a patient ID that is not a number";
}

function cellsProblem(cells: readonly string[], { headings }: TableColumns): string | null {
  const surplus = cells.slice(headings.length).some((cell) => cell !== "");
  return cells.length < headings.length || surplus ? `has ${cells.length} cells for ${headings.length} headings` : null;
}

/**
 * Returns the patient ID of a row, or null. IDs are numbers: other text means that the cells have shifted. The ID of a
 * damaged row counts only if it is in the first column and no surplus cells follow, which could be another row.
 */
function findPatientId(row: TableRow, fault: string | null, { headings, idAt }: TableColumns): string | null {
  const cells = "cells" in row ? row.cells : (row.partial ?? []);
  const id = cells[idAt]?.trim() ?? "";
  const isReliable = fault === null || (idAt === 0 && cells.length <= headings.length);
  return isReliable && /^\d+$/.test(id) ? id : null;
}

function toRecord({ patient, rows, faults, bytesRead }: PatientRows, table: TableColumns): ReadRecord {
  const lines = [...rows, ...faults].map(({ line }) => line);
  const number = Math.min(...lines);
  const [fault] = faults;
  if (patient.startsWith(NOBODY)) return { number, bytesRead, reason: fault?.reason ?? "" };
  const joined = joinRows(patient, rows, table);
  const all = [...faults, ...joined.faults].sort((a, b) => a.line - b.line);
  return { number, bytesRead, record: joined.record, ...(all.length > 0 && { faults: all }) };
}

/**
 * Joins the rows of one patient to a record. An empty field of the patient is filled from another row. Rows that
 * contradict each other are faults, because one of them belongs to another patient or its cells have shifted.
 */
function joinRows(
  id: string,
  rows: readonly { line: number; cells: readonly string[] }[],
  { headings, columns, idAt }: TableColumns,
): { record: RawRecord; faults: RowFault[] } {
  const patient: Record<string, unknown> = {};
  const firstLine = new Map<string, number>();
  const insurances: RawRecord[] = [];
  const faults: RowFault[] = [];
  for (const { line, cells } of rows) {
    const read = readRow(Object.fromEntries(headings.map((heading, at) => [heading, cells[at] ?? ""])), columns);
    for (const [field, value] of Object.entries(read.patient)) {
      const before = firstLine.get(field);
      if (before === undefined || value === null) patient[field] ??= value;
      else if (!isSame(patient[field], value))
        faults.push({ line, reason: `has a different ${field} than line ${before}` });
      if (before === undefined && value !== null) firstLine.set(field, line);
    }
    if (read.insurance) insurances.push(read.insurance);
  }
  if (rows.length > 0) return { record: { ...patient, insurances }, faults };
  // All rows were rejected, so only the ID is known.
  const row = Object.fromEntries(headings.map((heading, at) => [heading, at === idAt ? id : ""]));
  return { record: { ...readRow(row, columns).patient, insurances }, faults };
}

const isSame = (a: unknown, b: unknown) => textOf(a).toLowerCase() === textOf(b).toLowerCase();
