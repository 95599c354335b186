import { type Assumptions, HOURS, type Region } from "./assumptions";
import { type Cost, KINDS, type Kind, type Measured } from "./costs";
import { type Capacity, type Cell, fillNewCell, type Move, place, rebalance, sum, usedPart } from "./placement";
import { createPractices, type Need, type Practice, requestsPerYear, sumCosts } from "./population";

export const REGIONS: readonly Region[] = ["east", "west"];

/** Practices and the cells that hold them. */
export interface World {
  assumptions: Assumptions;
  costs: Measured;
  practices: readonly Practice[];
  patients: number;
  /** Bytes of all databases. */
  bytes: number;
  capacity: Capacity;
  cells: readonly Cell[];
}

export function simulate(assumptions: Assumptions, costs: Measured): World {
  const practices = createPractices(assumptions, costs);
  const capacity = capacityFor(practices, assumptions);
  return {
    assumptions,
    costs,
    practices,
    patients: total(practices, ({ patients }) => patients),
    bytes: total(practices, ({ bytes }) => bytes),
    capacity,
    cells: place(practices, capacity, assumptions.fill),
  };
}

/** Returns the capacity of a cell. A cell filled as far as allowed has the largest allowed share of the patients. */
function capacityFor(
  practices: readonly Practice[],
  { cellCores, cellBytes, cellWalBytes, cellShare, fill }: Assumptions,
): Capacity {
  const patients = (total(practices, (practice) => practice.patients) * cellShare) / fill;
  return { cores: cellCores, bytes: cellBytes, wal: cellWalBytes, patients };
}

export function total<T>(items: readonly T[], figure: (item: T) => number): number {
  return items.reduce((all, item) => all + figure(item), 0);
}

/** Returns the value below which this share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const peak = (cores: readonly number[]) => Math.max(...cores);

const NO_CORES = Array.from({ length: 24 }, () => 0);

/** Returns the cores that practices need together in the busiest hour. */
export function peakCores(practices: readonly Practice[], cores: (practice: Practice) => readonly number[]): number {
  const add = (sums: readonly number[], more: readonly number[]) => sums.map((each, hour) => each + (more[hour] ?? 0));
  return peak(practices.map(cores).reduce(add, NO_CORES));
}

function sumNeeds(practices: readonly Practice[]): Need {
  return practices.reduce<Need>(sum, { cores: NO_CORES, bytes: 0, wal: 0, patients: 0 });
}

/** Returns the part of each resource of a cell that all practices together need. */
export function partsOfOneCell({ practices, capacity }: World): Capacity {
  const { cores, bytes, wal, patients } = sumNeeds(practices);
  return {
    cores: peak(cores) / capacity.cores,
    bytes: bytes / capacity.bytes,
    wal: wal / capacity.wal,
    patients: patients / capacity.patients,
  };
}

/** What a million API requests cost together with the webhooks that they cause. */
export interface MillionRequests {
  serverSeconds: number;
  databaseSeconds: number;
  /** Without webhooks, whose time was not measured. */
  connectionSeconds: number;
  wal: number;
  walAfterCheckpoint: number;
  kept: Cost["kept"];
  imageBytes: number;
}

/** Returns the requests of all practices in a year, by kind. */
function allRequests({ practices, assumptions }: World): Record<Kind, number> {
  const years = practices.map(({ patients }) => requestsPerYear(patients, assumptions));
  return Object.fromEntries(KINDS.map((kind) => [kind, total(years, (year) => year[kind] ?? 0)])) as Record<
    Kind,
    number
  >;
}

export function costOfMillion(world: World): MillionRequests {
  const { costs, assumptions } = world;
  const requests = allRequests(world);
  const million = (sumCosts(requests, costs, () => 1) - requests.webhook) / 1e6;
  const each = (figure: (cost: Cost) => number) => sumCosts(requests, costs, figure) / million;
  return {
    serverSeconds: each(({ serverMs }) => serverMs) / 1000,
    databaseSeconds: each(({ databaseMs }) => databaseMs) / 1000,
    connectionSeconds: each(({ connectionMs }) => connectionMs ?? 0) / 1000,
    wal: each(({ walBytes }) => walBytes),
    walAfterCheckpoint: each(({ walBytes, walBytesAfterCheckpoint }) => walBytesAfterCheckpoint ?? walBytes),
    kept: {
      records: each(({ kept }) => kept.records),
      audit: each(({ kept }) => kept.audit),
      shortLived: each(({ kept }) => kept.shortLived),
    },
    imageBytes: (requests.upload * assumptions.imageBytes) / million,
  };
}

/** Returns the part of all databases that is the audit log. */
export function auditShare(world: World): number {
  const { costs, assumptions, bytes } = world;
  const perYear = sumCosts(allRequests(world), costs, ({ kept }) => kept.audit);
  return (perYear * Math.min(assumptions.years, assumptions.auditYears)) / bytes;
}

/** Converts requests of a workday to requests per second in the busiest seconds, as if all practices were in one time zone. */
export function perSecondAtPeak(ofDay: number, { burst }: Assumptions): number {
  return ((ofDay * Math.max(...HOURS)) / 3600) * burst;
}

/** Returns the writes per second of all practices, in the busiest seconds. */
export function writesPerSecond(world: World): number {
  const { put, create, patch, upload } = allRequests(world);
  return perSecondAtPeak((put + create + patch + upload) / world.assumptions.workdaysPerYear, world.assumptions);
}

/** What it takes to convert all insurances of some practices, with both of two cores always busy. */
export function convertAll(practices: readonly Practice[]) {
  const add = (figure: (practice: Practice) => number) => total(practices, figure);
  const serverSeconds = add(({ conversion }) => conversion.serverSeconds);
  const databaseSeconds = add(({ conversion }) => conversion.databaseSeconds);
  return {
    insurances: add(({ conversion }) => conversion.insurances),
    serverSeconds,
    databaseSeconds,
    seconds: (serverSeconds + databaseSeconds) / 2,
    wal: add(({ conversion }) => conversion.wal),
  };
}

export const largestPractice = ({ practices }: World) =>
  practices.reduce((most, practice) => (practice.patients > most.patients ? practice : most));

export const largestCell = ({ cells }: World) =>
  cells.reduce((most, cell) => (cell.need.patients > most.need.patients ? cell : most));

/** Returns which part of a cell the largest practice needs. */
export const partOfLargest = ({ practices, capacity }: Pick<World, "practices" | "capacity">) =>
  Math.max(...practices.map((practice) => usedPart(practice, capacity)));

/** Returns which part of its disk the median cell needs. */
export const medianDisk = (cells: readonly Cell[], { bytes }: Capacity) =>
  quantile(
    cells.map(({ need }) => need.bytes / bytes),
    0.5,
  );

function grow(practice: Practice, factor: number): Practice {
  const times = (values: readonly number[]) => values.map((value) => value * factor);
  return {
    ...practice,
    cores: times(practice.cores),
    serverCores: times(practice.serverCores),
    bytes: practice.bytes * factor,
    wal: practice.wal * factor,
    patients: practice.patients * factor,
  };
}

/** Returns the same cells after some practices have grown. */
function growCells(cells: readonly Cell[], factorOf: (practice: Practice) => number): Cell[] {
  return cells.map((cell) => {
    const practices = cell.practices.map((practice) => grow(practice, factorOf(practice)));
    return { ...cell, practices, need: sumNeeds(practices) };
  });
}

export interface Change {
  newCells: number;
  moves: readonly Move[];
}

/** Returns which practices move after growth, and to a new cell. */
export function simulateChanges({ cells, capacity, practices, assumptions }: World) {
  const bySize = [...practices].sort((a, b) => b.patients - a.patients);
  const largest = new Set(bySize.slice(0, 10).map(({ id }) => id));
  const growing = (doubles: (practice: Practice) => boolean): Change => {
    const changed = growCells(cells, (practice) => (doubles(practice) ? 2 : 1));
    const grown = capacityFor(
      changed.flatMap((cell) => cell.practices),
      assumptions,
    );
    const moves = rebalance(changed, grown, assumptions);
    return { newCells: changed.length - cells.length, moves };
  };
  const withNewCell = (): Change => {
    const changed = cells.map((cell) => ({ ...cell, practices: [...cell.practices] }));
    return { moves: fillNewCell(changed, "east", capacity), newCells: changed.length - cells.length };
  };
  return {
    everyTenthDoubles: growing(({ id }) => id % 10 === 0),
    tenLargestDouble: growing((practice) => largest.has(practice.id)),
    everyPracticeDoubles: growing(() => true),
    cellAdded: withNewCell(),
  };
}

/** Returns what the other region takes over if a region is lost. */
export function simulateLoss({ cells, patients, practices }: World, lost: Region) {
  const own = practices.filter(({ region }) => region === lost);
  const others = practices.filter(({ region }) => region !== lost);
  const cores = (of: readonly Practice[]) =>
    peakCores(of, (each) => each.cores.map((core, hour) => core + (each.serverCores[hour] ?? 0)));
  return {
    share: total(own, (each) => each.patients) / patients,
    cells: cells.filter(({ region }) => region === lost).length,
    bytes: total(own, ({ bytes }) => bytes),
    coresBefore: cores(others),
    coresWithBoth: cores(practices),
  };
}
