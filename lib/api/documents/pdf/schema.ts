import { z } from "zod";

/** Query parameters of documents whose letterhead can be chosen. */
export const printableQuery = {
  print_header: z
    .string()
    .regex(/^\d{1,15}$/, "Must be the id of a print header.")
    .transform(Number)
    .meta({ type: "integer" })
    .optional()
    .describe("The ID of a print header, whose text replaces the practice's name and address."),
};

/** A piece of a document's content. */
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
  /** Its width, relative to the other columns. */
  share: number;
}

export interface Row {
  cells: readonly string[];
  /** Indexes of cells to highlight, such as an abnormal value. */
  marked?: readonly number[];
  /** Shown below the cells, across all columns. */
  note?: string;
}

/** A document before it is laid out. */
export interface PrintableDocument {
  title: string;
  /** The practice's name, then the lines of its address. */
  letterhead: readonly string[];
  /** The patient's name, for the footer of every page. */
  patientName: string;
  patient: readonly Fact[];
  blocks: readonly Block[];
  signature: string;
  /** ISO 8601. */
  createdAt: string;
}

export interface PdfFile {
  bytes: Uint8Array;
  filename: string;
  patientId: number;
}
