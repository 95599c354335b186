import type { Assumptions, Region } from "./assumptions";
import { HOURS, PER_PATIENT_AND_YEAR, PER_PRACTICE_AND_DAY, PER_VISIT, ZONES } from "./assumptions";
import { type Cost, KINDS, type Kind, type Measured } from "./costs";

/** What a practice needs of its cell. */
export interface Need {
  /** Cores of the database in each hour of the day (UTC), in its busiest seconds. */
  cores: readonly number[];
  /** Bytes of the database. */
  bytes: number;
  /** Bytes of the write-ahead log per second, in the busiest hour. */
  wal: number;
  patients: number;
}

export interface Practice extends Need {
  id: number;
  physicians: number;
  region: Region;
  /** API requests in a workday, and the webhooks that they cause. */
  requests: number;
  webhooks: number;
  /** The same as `cores`, for servers and workers. */
  serverCores: readonly number[];
  /** Connections to the database that are busy in the busiest seconds. */
  connections: number;
  imageBytes: number;
  /** What the conversion of all its insurances costs, once. */
  conversion: Conversion;
}

export interface Conversion {
  insurances: number;
  /** CPU seconds of the worker. */
  serverSeconds: number;
  /** CPU seconds of PostgreSQL. */
  databaseSeconds: number;
  /** Bytes of the write-ahead log. */
  wal: number;
}

type Costs = Pick<Measured, "costs" | "rowBytes">;

/** Creates practices with sizes and time zones at random, the same for the same seed. */
export function createPractices(assumptions: Assumptions, costs: Costs): Practice[] {
  const random = createRandom(assumptions.seed);
  return Array.from({ length: assumptions.practices }, (_, id) => {
    const physicians = Math.max(
      1,
      Math.round(assumptions.physiciansMedian * Math.exp(assumptions.physiciansSigma * normal(random))),
    );
    const zone = pickZone(random());
    return createPractice({ id, physicians, zone }, assumptions, costs);
  });
}

type Zone = (typeof ZONES)[number];

function createPractice(
  { id, physicians, zone }: { id: number; physicians: number; zone: Zone },
  assumptions: Assumptions,
  costs: Costs,
): Practice {
  const patients = physicians * assumptions.patientsPerPhysician;
  const perYear = requestsPerYear(patients, assumptions);
  const perDay = (figure: (cost: Cost) => number) => sumCosts(perYear, costs, figure) / assumptions.workdaysPerYear;
  const webhooks = (perYear.webhook ?? 0) / assumptions.workdaysPerYear;
  /** Converts a figure of a workday to one per second of the busiest seconds of each hour (UTC). */
  const byHour = (ofDay: number) =>
    HOURS.map((_, hour) => {
      const local = (hour + zone.offset + 24) % 24;
      return ((ofDay * (HOURS[local] ?? 0)) / 3600) * assumptions.burst;
    });
  const cores = byHour(perDay(({ databaseMs }) => databaseMs / 1000));
  const wal = Math.max(
    ...byHour(perDay(({ walBytesAfterCheckpoint, walBytes }) => walBytesAfterCheckpoint ?? walBytes)),
  );
  const yearly = (figure: (cost: Cost) => number) => sumCosts(perYear, costs, figure);
  const images = (perYear.upload ?? 0) * assumptions.years + patients * assumptions.policiesPerPatient;
  return {
    id,
    physicians,
    region: zone.region,
    patients,
    requests: perDay(() => 1) - webhooks,
    webhooks,
    cores,
    serverCores: byHour(perDay(({ serverMs }) => serverMs / 1000)),
    connections: Math.max(...byHour(perDay(({ connectionMs }) => (connectionMs ?? 0) / 1000))),
    conversion: convert(patients * assumptions.policiesPerPatient, costs),
    wal,
    bytes:
      patients * patientBytes(assumptions, costs) +
      yearly(({ kept }) => kept.records) * assumptions.years +
      yearly(({ kept }) => kept.audit) * Math.min(assumptions.years, assumptions.auditYears) +
      (yearly(({ kept }) => kept.shortLived) * 30) / 365,
    imageBytes: images * assumptions.imageBytes,
  };
}

function convert(insurances: number, { costs: { convert: cost } }: Costs): Conversion {
  return {
    insurances,
    serverSeconds: (insurances * cost.serverMs) / 1000,
    databaseSeconds: (insurances * cost.databaseMs) / 1000,
    wal: insurances * cost.walBytes,
  };
}

/** Returns the requests of each kind that a practice sends in a year, and its webhooks. */
export function requestsPerYear(patients: number, assumptions: Assumptions): Partial<Record<Kind, number>> {
  const { visitsPerPatientAndYear, load } = assumptions;
  const visits = patients * visitsPerPatientAndYear;
  return Object.fromEntries(
    KINDS.map((kind) => {
      const byPatient = (PER_VISIT[kind] ?? 0) * visits + (PER_PATIENT_AND_YEAR[kind] ?? 0) * patients;
      return [kind, load * (byPatient + (PER_PRACTICE_AND_DAY[kind] ?? 0) * 365)];
    }),
  );
}

export function sumCosts(
  requests: Partial<Record<Kind, number>>,
  { costs }: Pick<Measured, "costs">,
  figure: (cost: Cost) => number,
): number {
  return KINDS.reduce((sum, kind) => sum + (requests[kind] ?? 0) * figure(costs[kind]), 0);
}

/** Returns the bytes of a patient with policies, each with its first version, legacy insurance and the row of an image. */
export function patientBytes(
  { policiesPerPatient, chartBytes, documentBytes }: Assumptions,
  { rowBytes }: Costs,
): number {
  const sizeOf = (...tables: string[]) => tables.reduce((sum, name) => sum + (rowBytes[name] ?? 0), 0);
  const perPolicy = sizeOf("policy", "policy_version", "patient_insurance", "policy_card_image", "legacy_card");
  return sizeOf("patient", "patient_version") + policiesPerPatient * perPolicy + chartBytes + documentBytes;
}

function pickZone(at: number): Zone {
  let [sum, found]: [number, Zone] = [0, ZONES[0]];
  for (const zone of ZONES) {
    if (at >= sum) found = zone;
    sum += zone.share;
  }
  return found;
}

/** Returns a generator of numbers from 0 to 1 (mulberry32), which is small and the same on every machine. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a normally distributed number (Box–Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
