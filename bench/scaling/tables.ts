import { table } from "../report";
import type { Assumptions } from "./assumptions";
import { scarcest, usedPart } from "./placement";
import type { Practice } from "./population";
import {
  type Change,
  convertAll,
  costOfMillion,
  largestCell,
  medianDisk,
  partOfLargest,
  partsOfOneCell,
  peak,
  peakCores,
  quantile,
  REGIONS,
  simulate,
  simulateChanges,
  simulateLoss,
  total,
  type World,
} from "./world";

const TB = 1e12;

export const count = (value: number) => Math.round(value).toLocaleString("en-US");
export const percent = (value: number, digits = 1) => `${(value * 100).toFixed(digits)}%`;
export const tera = (bytes: number, digits = 2) => `${(bytes / TB).toFixed(digits)} TB`;
const giga = (bytes: number, digits = 1) => `${(bytes / 1e9).toFixed(digits)} GB`;

/** Formats all tables, which docs/scaling.md quotes. */
export function formatSimulation(world: World): string {
  const { costs } = world;
  return [
    `Costs of ${costs.date}: ${costs.cores} cores, PostgreSQL ${costs.postgres}`,
    formatPopulation(world),
    formatMillion(world),
    formatCapacity(world),
    formatCells(world),
    formatConversions(world),
    formatChanges(world),
    formatLosses(world),
    formatSensitivity(world),
  ].join("\n\n");
}

function section(heading: string, heads: readonly string[], rows: readonly string[][]): string {
  return `${heading}\n\n${table([...heads], [...rows])}`;
}

function formatPopulation({ practices, patients }: World): string {
  const row = (name: string, figure: (practice: Practice) => number, show: (value: number) => string) => {
    const values = practices.map(figure);
    const spread = [quantile(values, 0.5), quantile(values, 0.9), quantile(values, 0.99), Math.max(...values)];
    return [name, ...[...spread, total(practices, figure)].map((value) => show(value))];
  };
  const heads = ["per practice", "median", "p90", "p99", "largest", "all"];
  const small = (value: number) => value.toFixed(4);
  return section(`${count(practices.length)} practices, ${count(patients)} patients`, heads, [
    row("physicians", ({ physicians }) => physicians, count),
    row("patients", (practice) => practice.patients, count),
    row("API requests in a workday", ({ requests }) => requests, count),
    row("webhooks in a workday", ({ webhooks }) => webhooks, count),
    row("database", ({ bytes }) => bytes, giga),
    row("card images", ({ imageBytes }) => imageBytes, giga),
    row("database cores at the peak", ({ cores }) => peak(cores), small),
    row("server cores at the peak", ({ serverCores }) => peak(serverCores), small),
    row("busy connections at the peak", ({ connections }) => connections, small),
    row(
      "WAL per second at the peak",
      ({ wal }) => wal,
      (bytes) => `${(bytes / 1e3).toFixed(1)} kB`,
    ),
  ]);
}

function formatMillion(world: World): string {
  const { serverSeconds, databaseSeconds, connectionSeconds, wal, walAfterCheckpoint, kept, imageBytes } =
    costOfMillion(world);
  const bytes = [wal, walAfterCheckpoint, kept.records, kept.audit, kept.shortLived, imageBytes];
  const heads = ["server CPU s", "database CPU s", "connection s", "WAL", "after a checkpoint"];
  return section(
    "A million API requests of this mix, with the webhooks that they cause",
    [...heads, "kept", "audit", "short-lived", "images"],
    [[...[serverSeconds, databaseSeconds, connectionSeconds].map(count), ...bytes.map((each) => giga(each, 2))]],
  );
}

/** What one full cell could hold if only one of its resources counted. */
function formatCapacity(world: World): string {
  const { practices, patients, capacity, assumptions } = world;
  const { fill, cellShare } = assumptions;
  const parts = partsOfOneCell(world);
  const limits: [string, number, string][] = [
    ["database cores", parts.cores, `${capacity.cores}`],
    ["database size", parts.bytes, tera(capacity.bytes)],
    ["WAL per second", parts.wal, `${count(capacity.wal / 1e6)} MB`],
    ["share of the patients", parts.patients, percent(cellShare)],
  ];
  return section(
    `What a cell holds at ${percent(fill)}, if one resource were the limit`,
    ["limit", "capacity", "patients", "practices of average size"],
    limits.map(([name, part, capacityOf]) => [
      name,
      capacityOf,
      count((fill / part) * patients),
      count((fill / part) * practices.length),
    ]),
  );
}

function formatCells({ cells, capacity, patients }: World): string {
  const rows = REGIONS.map((region) => {
    const own = cells.filter((cell) => cell.region === region);
    const used = own.map(({ need }) => usedPart(need, capacity));
    const shares = own.map(({ need }) => need.patients / patients);
    const practices = own.flatMap((cell) => cell.practices);
    const sizes = own.map((cell) => cell.practices.length);
    return [
      region,
      count(own.length),
      count(practices.length),
      percent(quantile(used, 0.5)),
      percent(quantile(used, 0.99)),
      percent(Math.max(...used)),
      [...new Set(own.map(({ need }) => scarcest(need, capacity)))].join(", "),
      percent(medianDisk(own, capacity)),
      peakCores(practices, ({ cores }) => cores).toFixed(1),
      peakCores(practices, ({ serverCores }) => serverCores).toFixed(1),
      percent(Math.max(...shares)),
      count(quantile(sizes, 0.5)),
      count(Math.max(...sizes)),
    ];
  });
  const used = ["used: median", "p99", "max", "scarcest", "disk: median", "database cores", "server cores"];
  const heads = ["region", "cells", "practices", ...used, "patients in the largest", "practices: median", "most"];
  return section("Cells", heads, rows);
}

/** What it takes to convert each practice once, of practices by size and of whole cells. */
function formatConversions(world: World): string {
  const bySize = [...world.practices].sort((a, b) => a.patients - b.patients);
  const at = (share: number) => bySize.slice(Math.floor(share * bySize.length)).slice(0, 1);
  const groups = [at(0.5), at(0.9), at(0.99), bySize.slice(-1), largestCell(world).practices, world.practices];
  const all = groups.map(convertAll);
  const row = (name: string, figure: (of: ReturnType<typeof convertAll>) => number) => [
    name,
    ...all.map((of) => count(figure(of))),
  ];
  const heads = ["", "median", "p90", "p99", "largest", "largest cell", "all"];
  return section("Conversion of all insurances, once", heads, [
    row("insurances", ({ insurances }) => insurances),
    row("CPU of workers, s", ({ serverSeconds }) => serverSeconds),
    row("CPU of PostgreSQL, s", ({ databaseSeconds }) => databaseSeconds),
    row("on two cores, s", ({ seconds }) => seconds),
    row("write-ahead log, MB", ({ wal }) => wal / 1e6),
  ]);
}

function formatChanges(world: World): string {
  const { practices, assumptions } = world;
  const changes = simulateChanges(world);
  const named: [string, Change][] = [
    ["every tenth practice doubles", changes.everyTenthDoubles],
    ["the ten largest double", changes.tenLargestDouble],
    ["every practice doubles", changes.everyPracticeDoubles],
    ["a cell is added in the east", changes.cellAdded],
  ];
  const rows = named.map(([name, { newCells, moves }]) => {
    const bytes = total(moves, ({ practice }) => practice.bytes);
    const longest = Math.max(0, ...moves.map(({ practice }) => practice.bytes));
    return [
      name,
      count(newCells),
      count(moves.length),
      percent(moves.length / practices.length),
      tera(bytes),
      `${(bytes / assumptions.moveBytes / 3600).toFixed(1)} h`,
      `${(longest / assumptions.moveBytes / 60).toFixed(0)} min`,
    ];
  });
  const heads = ["change", "new cells", "practices moved", "share", "moved", "copying, one at a time", "the longest"];
  return section("Moves", heads, rows);
}

function formatLosses(world: World): string {
  const rows = REGIONS.map((lost) => {
    const { share, cells, bytes, coresBefore, coresWithBoth } = simulateLoss(world, lost);
    return [lost, percent(share), count(cells), tera(bytes), coresBefore.toFixed(1), coresWithBoth.toFixed(1)];
  });
  const heads = ["lost region", "patients affected", "cells to take over", "data", "cores before", "cores with both"];
  return section("Loss of a region, taken over by the other", heads, rows);
}

function formatSensitivity({ assumptions, costs }: World): string {
  const cases: [string, Partial<Assumptions>][] = [
    ["as assumed", {}],
    ["10 times the requests", { load: assumptions.load * 10 }],
    ["50 times the requests", { load: assumptions.load * 50 }],
    ["a cell may hold 1% of the patients", { cellShare: 0.01 }],
    ["10,000 small practices (sigma 1)", { physiciansSigma: 1 }],
    ["cells of 8 cores and 1 TB", { cellCores: 8, cellBytes: TB }],
    ["10 years of data", { years: 10 }],
    ["500 kB of documents for each patient", { documentBytes: 500_000 }],
  ];
  const rows = cases.map(([name, changed]) => {
    const world = simulate({ ...assumptions, ...changed }, costs);
    const { cells, capacity, patients } = world;
    const used = cells.map(({ need }) => usedPart(need, capacity));
    const kinds = cells.map(({ need }) => scarcest(need, capacity));
    const frequent = mostFrequent(kinds);
    return [
      name,
      count(cells.length),
      percent(quantile(used, 0.5)),
      percent(partOfLargest(world)),
      percent(Math.max(...cells.map(({ need }) => need.patients / patients))),
      `${frequent} (${kinds.filter((kind) => kind === frequent).length})`,
    ];
  });
  const heads = ["assumption", "cells", "used: median", "largest practice, of a cell"];
  return section("Other assumptions", [...heads, "patients in the largest", "scarcest"], rows);
}

/** Returns the most frequent name. */
function mostFrequent(names: readonly string[]): string {
  const times = (name: string) => names.filter((each) => each === name).length;
  return names.reduce((most, name) => (times(name) > times(most) ? name : most));
}
