import type { Kind } from "./costs";

/**
 * What the simulation assumes. `npm run bench:cells -- --NAME VALUE` changes a figure. docs/scaling.md names the sources of those that have
 * one; the others are guesses.
 */
export const ASSUMPTIONS = {
  practices: 10_000,
  seed: 1,
  /** Physicians per practice: lognormal, at least one. docs/scaling.md compares the resulting sizes with a survey. */
  physiciansMedian: 1,
  physiciansSigma: 1.6,
  patientsPerPhysician: 1_370,
  visitsPerPatientAndYear: 3.36,
  workdaysPerYear: 250,
  policiesPerPatient: 1.5,
  /** Bytes of a patient's details and of the records of the chart, with their indexes. */
  chartBytes: 20_000,
  /** Bytes of a patient's documents, which are stored in the database. */
  documentBytes: 0,
  /** Multiplies all requests. */
  load: 1,
  /** The busiest seconds of an hour, divided by its average. */
  burst: 2,
  /** Bytes of a photo of a card after it was encoded again. */
  imageBytes: 150_000,
  /** Years since the practices moved in. */
  years: 5,
  auditYears: 7,

  /** A cell: a PostgreSQL primary with its standbys, and its servers and workers. */
  cellCores: 16,
  /** Bytes of the database. A backup of 2 TB is restored in about an hour at 600 MB/s. */
  cellBytes: 2e12,
  /** Bytes of the write-ahead log per second, which standbys and archive must keep up with. */
  cellWalBytes: 50e6,
  /** The largest share of all patients in a cell, which its loss affects. */
  cellShare: 0.05,
  /** The part of a cell that new practices may fill. Growth needs the rest. */
  fill: 0.6,
  /** A cell that grows beyond this part gives practices away. */
  limit: 0.8,
  /** Bytes per second at which a practice is copied to another cell, less than one core of PostgreSQL copies. */
  moveBytes: 20e6,
};

export type Assumptions = typeof ASSUMPTIONS;

/** Requests per visit, of all clients and staff together. */
export const PER_VISIT: Partial<Record<Kind, number>> = {
  get: 8,
  list: 6,
  put: 0.3,
  create: 0.1,
  patch: 0.5,
  upload: 0.1,
  // One and a half subscriptions for each write.
  webhook: 1.5,
};

/** Requests per patient and year that need no visit: clients that compare all patients each month. */
export const PER_PATIENT_AND_YEAR: Partial<Record<Kind, number>> = { list: 12 };

/** Requests per practice and day: three clients that request a token each hour. */
export const PER_PRACTICE_AND_DAY: Partial<Record<Kind, number>> = { token: 72 };

/** The share of a workday's requests in each hour of local time. */
export const HOURS = [
  0.005, 0.005, 0.005, 0.005, 0.005, 0.005, 0.01, 0.03, 0.1, 0.13, 0.13, 0.11, 0.07, 0.1, 0.12, 0.09, 0.05, 0.01, 0.005,
  0.005, 0.005, 0.005, 0.005, 0.005,
].map((share, _hour, all) => share / all.reduce((sum, each) => sum + each, 0));

/** Time zones in hours from UTC, their share of the population, and the region that serves them. */
export const ZONES = [
  { name: "Eastern", offset: -5, share: 0.476, region: "east" },
  { name: "Central", offset: -6, share: 0.291, region: "east" },
  { name: "Mountain", offset: -7, share: 0.067, region: "west" },
  { name: "Pacific", offset: -8, share: 0.166, region: "west" },
] as const;

export type Region = (typeof ZONES)[number]["region"];
