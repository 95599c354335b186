const MIB = 1024 ** 2;

/**
 * How much of an export the readers take in at once. Real exports stay far below these bounds; a file beyond them is damaged
 * or hostile, and gets a finding that names the place instead of the server's memory or time.
 */
export const READING_LIMITS = {
  /** One JSON record, card images included. */
  recordBytes: 64 * MIB,
  /** What a record, or the rows of one patient, hold besides card images. */
  detailBytes: 4 * MIB,
  /** Objects and lists within each other. */
  depth: 100,
  /** Values of one JSON record. */
  values: 500_000,
  /** Entries of `insurances`. The contract takes 50; a longer list only costs time. */
  currentInsurances: 200,
  /** Entries of `deleted_insurances`. */
  pastInsurances: 10_000,
  /** One CSV row, and so one quoted cell. */
  rowBytes: MIB,
  /** Lines of one CSV row: a quote that is never closed ends here, not at the end of the file. */
  rowLines: 1_000,
  columns: 1_000,
  rowsPerPatient: 1_000,
  /** What a compressed file may unpack to. */
  unpackedBytes: 8 * 1024 * MIB,
  /** What the parts of an Excel workbook may unpack to: it is held in memory. */
  workbookBytes: 192 * MIB,
  /** How many times its packed size a file may unpack to, beyond the first `ratioFromBytes`. */
  ratio: 200,
  ratioFromBytes: 64 * MIB,
  /** CSV rows kept in memory while patients are put together; more go to temporary files. */
  rowsInMemoryBytes: 64 * MIB,
} as const;

export const inMib = (bytes: number) => `${bytes / MIB} MiB`;
