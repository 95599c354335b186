const MIB = 1024 ** 2;

/**
 * Limits of reading an export. Real exports stay far below them. A file beyond them is damaged or hostile: it gets a finding that names the
 * place, and can't exhaust the memory or time of the server.
 */
export const READING_LIMITS = {
  /** Size of one JSON record with its card images. */
  recordBytes: 64 * MIB,
  /** Size of a record, or of the rows of a patient, without card images. */
  detailBytes: 4 * MIB,
  /** Nested objects and lists. */
  depth: 100,
  /** Values of one JSON record. */
  values: 500_000,
  /** Entries of `insurances`. The contract allows 50, so a longer list would only take time. */
  currentInsurances: 200,
  /** Entries of `deleted_insurances`. */
  pastInsurances: 10_000,
  /** Size of one CSV row, and so of one quoted cell. */
  rowBytes: MIB,
  /** Lines of one CSV row, so that a quote that is never closed does not swallow the rest of the file. */
  rowLines: 1_000,
  columns: 1_000,
  rowsPerPatient: 1_000,
  /** Decompressed size of a file. */
  unpackedBytes: 8 * 1024 * MIB,
  /** Decompressed size of an Excel workbook, part of which is kept in memory. */
  workbookBytes: 192 * MIB,
  /** Decompressed size divided by compressed size. Checked from `ratioFromBytes` on. */
  ratio: 200,
  ratioFromBytes: 64 * MIB,
  /** Size of the CSV rows that are kept in memory while they are grouped by patient. Others go to temporary files. */
  rowsInMemoryBytes: 64 * MIB,
} as const;

/** Writes a number of bytes in MiB. */
export const inMib = (bytes: number) => `${bytes / MIB} MiB`;
