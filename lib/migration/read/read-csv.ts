import { type PatientRows, RowGroups } from "@/lib/migration/read/group-rows";
import { type Columns, columnsProblem, guessColumns, isNumberTarget } from "@/lib/migration/record/columns";
import { joinRows, type TableColumns } from "@/lib/migration/record/patient-rows";
import { BusinessRuleError } from "@/lib/platform/errors";
import { type TableRow, unformatNumbers } from "@/lib/platform/files/read-rows";
import { READING_LIMITS } from "@/lib/platform/files/reading-limits";
import type { ReadRecord } from "./read-records";

export interface CsvOptions {
  /** The field of each column; detected from the headings if omitted. */
  columns?: Columns | undefined;
  /** Called once with the field of each column. */
  onColumns?: ((headings: readonly string[], columns: Columns) => void) | undefined;
  /** Called with each part of the file, and while rows are grouped. */
  onStep?: (() => void) | undefined;
}

/** Marks a row without a patient id. Ids are digits. */
const NOBODY = "\u0000";

/**
 * The patients of a table with one insurance a row, wherever the rows of a patient stand (ADR 0141). A record's number is that
 * of its patient's first row. A patient with a rejected row comes with its faults, and must not be converted. A rejected row
 * that names no patient is a record of its own, and a fault of the patients before and after it: it may be theirs.
 *
 * @throws BusinessRuleError columns_unknown: the headings do not tell what the columns are
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

/** Assigns each row to its patient, and rows without a patient id to their neighbors. */
class Sorter {
  readonly #groups: RowGroups;
  #before: string | null = null;
  /** Rows without a patient id since the last row with one. */
  #unassigned: { line: number; bytesRead: number }[] = [];

  constructor(groups: RowGroups) {
    this.#groups = groups;
  }

  add(row: TableRow, table: TableColumns): void {
    unformatNumbers(row, (column) => isNumberTarget(table.columns[table.headings[column] ?? ""]));
    const { number: line, bytesRead } = row;
    if ("cells" in row && row.cells.every((cell) => cell === "")) return;
    const fault = "reason" in row ? row.reason : problemOfCells(row.cells, table);
    const patient = patientOf(row, fault, table);
    if (patient === null) {
      this.#groups.add(`${NOBODY}${line}`, { line, bytesRead, fault: fault ?? problemOfId(row, table) });
      // A patient has this many rows at most. More would only fill the memory.
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
    this.#groups.add(patient, { line, bytesRead, fault: "names no patient, and may be of this one" });
  }
}

function problemOfId(row: TableRow, { idAt }: TableColumns): string {
  const isEmpty = "cells" in row && row.cells[idAt] === "";
  return isEmpty ? "names no patient" : "names no patient: the patient's ID is not a number";
}

function problemOfCells(cells: readonly string[], { headings }: TableColumns): string | null {
  const surplus = cells.slice(headings.length).some((cell) => cell !== "");
  return cells.length < headings.length || surplus
    ? `has ${cells.length} cells, and there are ${headings.length} headings`
    : null;
}

/**
 * Returns the id of the row's patient, or null if the row doesn't say. Ids are numbers: any other text belongs to another column,
 * and the cells have moved.
 * A damaged row is believed only where the patient's id comes first, and nothing follows that could be another row.
 */
function patientOf(row: TableRow, fault: string | null, { headings, idAt }: TableColumns): string | null {
  const cells = "cells" in row ? row.cells : (row.partial ?? []);
  const id = cells[idAt]?.trim() ?? "";
  const isBelieved = fault === null || (idAt === 0 && cells.length <= headings.length);
  return isBelieved && /^\d+$/.test(id) ? id : null;
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
