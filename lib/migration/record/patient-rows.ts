import { type Columns, readRow } from "@/lib/migration/record/columns";
import { type RawRecord, textOf } from "@/lib/migration/record/raw-record";

/** Why a row of a patient was rejected. */
export interface RowFault {
  line: number;
  reason: string;
}

/** The columns of a table. */
export interface TableColumns {
  headings: readonly string[];
  columns: Columns;
  /** Position of the patient's id. */
  idAt: number;
}

/**
 * Joins the rows of one patient to a record. A field of the patient that is empty in a row is taken from another one; rows that
 * contradict each other are faults, for then one of them is not this patient's, or its columns have moved.
 */
export function joinRows(
  id: string,
  rows: readonly { line: number; cells: readonly string[] }[],
  { headings, columns, idAt }: TableColumns,
): { record: RawRecord; faults: RowFault[] } {
  const patient: Record<string, unknown> = {};
  const saidIn = new Map<string, number>();
  const insurances: RawRecord[] = [];
  const faults: RowFault[] = [];
  for (const { line, cells } of rows) {
    const read = readRow(Object.fromEntries(headings.map((heading, at) => [heading, cells[at] ?? ""])), columns);
    for (const [field, value] of Object.entries(read.patient)) {
      const before = saidIn.get(field);
      if (before === undefined || value === null) patient[field] ??= value;
      else if (!isSame(patient[field], value))
        faults.push({ line, reason: `has another ${field} than line ${before}` });
      if (before === undefined && value !== null) saidIn.set(field, line);
    }
    if (read.insurance) insurances.push(read.insurance);
  }
  if (rows.length > 0) return { record: { ...patient, insurances }, faults };
  // Only rejected rows: nothing but the id is known.
  const row = Object.fromEntries(headings.map((heading, at) => [heading, at === idAt ? id : ""]));
  return { record: { ...readRow(row, columns).patient, insurances }, faults };
}

const isSame = (a: unknown, b: unknown) => textOf(a).toLowerCase() === textOf(b).toLowerCase();
