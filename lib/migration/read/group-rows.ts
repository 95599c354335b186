import { randomBytes } from "node:crypto";
import { READING_LIMITS } from "@/lib/platform/files/reading-limits";
import { LineFile } from "@/lib/platform/files/temporary-file";

/** A row of a patient, or why a row that may belong to the patient was rejected. */
export type PatientRow = { line: number; bytesRead: number } & ({ cells: string[] } | { fault: string });

/** The rows of one patient, from anywhere in the file. */
export interface PatientRows {
  /** The key that the rows share. */
  patient: string;
  /** Number of the first row, by which groups are sorted. */
  order: number;
  rows: { line: number; cells: string[] }[];
  faults: { line: number; reason: string }[];
  bytesRead: number;
}

interface Group extends PatientRows {
  size: number;
  dropped: boolean;
}

const PARTITIONS = 64;
const { rowsPerPatient, detailBytes, rowsInMemoryBytes } = READING_LIMITS;

/**
 * Groups rows by patient. Small files are grouped in memory. Larger ones are split by patient into temporary files, so
 * that memory holds the rows of only one part. Groups keep the order of the file.
 */
export class RowGroups {
  readonly #inMemoryBytes: number;
  readonly #onStep: () => void;
  /** Random, so that a crafted file can't put all patients into one part. */
  readonly #seed = randomBytes(4).readUInt32LE();
  #order = 0;
  #bytes = 0;
  #groups = new Map<string, Group>();
  #parts: LineFile[] | null = null;

  /** @param options.onStep called with each row that is written to disk */
  constructor(options: { inMemoryBytes?: number; onStep?: (() => void) | undefined } = {}) {
    const { inMemoryBytes = rowsInMemoryBytes, onStep = () => {} } = options;
    this.#inMemoryBytes = inMemoryBytes;
    this.#onStep = onStep;
  }

  /** @param patient the key that the rows of one patient share */
  add(patient: string, row: PatientRow): void {
    const order = this.#order++;
    if (this.#parts) this.#spill(this.#parts, patient, order, row);
    else {
      this.#bytes += sizeOf(row);
      addTo(this.#groups, patient, order, row);
      if (this.#bytes > this.#inMemoryBytes) this.#startSpilling();
    }
  }

  /** Returns the groups in the order of their first rows. */
  *groups(): Generator<PatientRows> {
    if (!this.#parts) {
      yield* this.#groups.values();
      return;
    }
    const grouped: LineFile[] = [];
    try {
      for (let part = this.#parts.pop(); part; part = this.#parts.pop()) grouped.push(groupPart(part, this.#onStep));
      yield* merge(grouped);
    } finally {
      for (const file of grouped) file.close();
    }
  }

  close(): void {
    for (const part of this.#parts ?? []) part.close();
    this.#parts = [];
    this.#groups.clear();
  }

  #startSpilling(): void {
    const groups = this.#groups;
    this.#groups = new Map();
    const parts = Array.from({ length: PARTITIONS }, () => new LineFile());
    this.#parts = parts;
    for (const [patient, { order, rows, faults, bytesRead }] of groups) {
      for (const { line, cells } of rows) this.#spill(parts, patient, order, { line, bytesRead, cells });
      for (const { line, reason } of faults) this.#spill(parts, patient, order, { line, bytesRead, fault: reason });
    }
  }

  #spill(parts: readonly LineFile[], patient: string, order: number, row: PatientRow): void {
    const part = hash(patient, this.#seed) % PARTITIONS;
    parts[part]?.write(JSON.stringify([patient, order, row]));
  }
}

const TOO_MANY = `has too many rows: a patient can have at most ${rowsPerPatient}, with ${detailBytes / 1024 ** 2} MiB of text`;

function addTo(groups: Map<string, Group>, patient: string, order: number, row: PatientRow): void {
  let group = groups.get(patient);
  if (!group) {
    group = { patient, order, rows: [], faults: [], bytesRead: row.bytesRead, size: 0, dropped: false };
    groups.set(patient, group);
  }
  group.order = Math.min(group.order, order);
  group.size += sizeOf(row);
  const isFull = group.rows.length + group.faults.length >= rowsPerPatient || group.size > detailBytes;
  if (isFull && !group.dropped) {
    group.dropped = true;
    group.faults.push({ line: row.line, reason: TOO_MANY });
  } else if (isFull) return;
  else if ("fault" in row) group.faults.push({ line: row.line, reason: row.fault });
  else group.rows.push({ line: row.line, cells: row.cells });
}

const sizeOf = (row: PatientRow) =>
  "fault" in row ? row.fault.length : row.cells.reduce((sum, cell) => sum + cell.length, 2 * row.cells.length);

/** FNV-1a */
function hash(text: string, seed: number): number {
  let value = seed ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

/** Writes the groups of one part to a file, in the order of their first rows. */
function groupPart(part: LineFile, onStep: () => void): LineFile {
  const groups = new Map<string, Group>();
  try {
    for (let line = part.read(); line !== null; line = part.read()) {
      onStep();
      const [patient, order, row]: [string, number, PatientRow] = JSON.parse(line);
      addTo(groups, patient, order, row);
    }
  } finally {
    part.close();
  }
  const file = new LineFile();
  const inOrder = [...groups.values()].sort((a, b) => a.order - b.order);
  for (const { size: _size, dropped: _dropped, ...group } of inOrder) {
    onStep();
    file.write(JSON.stringify(group));
  }
  return file;
}

function* merge(files: readonly LineFile[]): Generator<PatientRows> {
  const next = (file: LineFile) => {
    const line = file.read();
    if (line === null) return [];
    const group: PatientRows = JSON.parse(line);
    return [{ file, group }];
  };
  let heads = files.flatMap(next);
  while (heads.length > 0) {
    const first = heads.reduce((best, head) => (head.group.order < best.group.order ? head : best));
    yield first.group;
    const [following] = next(first.file);
    if (following) first.group = following.group;
    else heads = heads.filter((head) => head !== first);
  }
}
