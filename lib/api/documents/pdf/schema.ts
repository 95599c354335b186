import { z } from "zod";

/** The query of papers whose heading can be chosen. */
export const printableQuery = {
  print_header: z
    .string()
    .regex(/^\d{1,15}$/, "Must be the id of a print header.")
    .transform(Number)
    .meta({ type: "integer" })
    .optional()
    .describe("The print header of the practice whose text stands in place of the practice's heading."),
};

/** What is printed, from top to bottom. */
export type Block =
  | { kind: "heading"; text: string }
  | { kind: "facts"; facts: readonly Fact[] }
  | { kind: "paragraph"; text: string }
  | { kind: "list"; items: readonly string[] }
  | { kind: "table"; columns: readonly Column[]; rows: readonly Row[] };

export interface Fact {
  label: string;
  text: string;
}

export interface Column {
  title: string;
  /** Its part of the page's width, beside the others' parts. */
  share: number;
}

export interface Row {
  cells: readonly string[];
  /** Cells that stand out, by their place: a value that is not as it should be. */
  marked?: readonly number[];
  /** Below the cells, across the table. */
  note?: string;
}

/** One document on paper. */
export interface Paper {
  title: string;
  /** The practice's heading: its first line is its name. */
  letterhead: readonly string[];
  /** The patient's name, for the foot of every page. */
  patientName: string;
  patient: readonly Fact[];
  blocks: readonly Block[];
  signature: string;
  /** ISO 8601. */
  madeAt: string;
}

/** A paper as a file. */
export interface PrintedPaper {
  bytes: Uint8Array;
  filename: string;
  patientId: number;
}
