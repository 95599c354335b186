// npm run bench:cells [-- --practices 10000 --seed 1 --load 1 …]: places practices with made-up sizes on cells, by the costs of the last
// published `npm run bench:scaling`. Prints machines, utilization, moves after growth, and what a loss affects.
import { parseArgs } from "node:util";
import { table } from "../report";
import { ASSUMPTIONS, type Assumptions, type Region } from "./assumptions";
import { readCosts } from "./costs";
import {
  type Capacity,
  type Cell,
  fillNewCell,
  type Move,
  place,
  rebalance,
  scarcest,
  sum,
  usedPart,
} from "./placement";
import { type Conversion, createPractices, type Need, type Practice } from "./population";

const REGIONS: readonly Region[] = ["east", "west"];
const TB = 1e12;

function readAssumptions(): Assumptions {
  const names = Object.keys(ASSUMPTIONS) as (keyof Assumptions)[];
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
  });
  const given = Object.entries(values).map(([name, text]) => [name, Number(text)] as const);
  const wrong = given.find(([, value]) => !(value >= 0));
  if (wrong) throw new Error(`--${wrong[0]} must be a number, 0 or more`);
  return { ...ASSUMPTIONS, ...Object.fromEntries(given) };
}

const costs = readCosts();

/** Practices and the cells that hold them. */
function simulate(assumptions: Assumptions) {
  const practices = createPractices(assumptions, costs);
  const capacity = capacityFor(practices, assumptions);
  return {
    practices,
    patients: countPatients(practices),
    capacity,
    cells: place(practices, capacity, assumptions.fill),
  };
}

const countPatients = (practices: readonly Practice[]) =>
  practices.reduce((total, { patients }) => total + patients, 0);

/** Returns the capacity of a cell. A cell filled as far as allowed has the largest allowed share of the patients. */
function capacityFor(
  practices: readonly Practice[],
  { cellCores, cellBytes, cellWalBytes, cellShare, fill }: Assumptions,
): Capacity {
  const patients = (countPatients(practices) * cellShare) / fill;
  return { cores: cellCores, bytes: cellBytes, wal: cellWalBytes, patients };
}

type World = ReturnType<typeof simulate>;

function print(heading: string, heads: readonly string[], rows: readonly string[][]): void {
  process.stdout.write(
    `\n${heading}\n\n${table(
      [...heads],
      rows.map((row) => [...row]),
    )}\n`,
  );
}

const count = (value: number) => Math.round(value).toLocaleString("en-US");
const percent = (value: number) => `${(value * 100).toFixed(1)}%`;
const tera = (bytes: number) => `${(bytes / TB).toFixed(2)} TB`;
const peak = (cores: readonly number[]) => Math.max(...cores);

/** Returns the value below which this share of the values is. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

const sumCores = (practices: readonly Practice[], cores: (practice: Practice) => readonly number[]) =>
  practices.reduce<number[]>(
    (total, practice) => total.map((each, hour) => each + (cores(practice)[hour] ?? 0)),
    Array.from({ length: 24 }, () => 0),
  );

function printPopulation({ practices, patients }: World): void {
  const spread = (figure: (practice: Practice) => number) => {
    const values = practices.map(figure);
    return [quantile(values, 0.5), quantile(values, 0.9), quantile(values, 0.99), Math.max(...values)];
  };
  const total = (figure: (practice: Practice) => number) => practices.reduce((all, each) => all + figure(each), 0);
  const row = (name: string, figure: (practice: Practice) => number, show: (value: number) => string) => [
    name,
    ...spread(figure).map(show),
    show(total(figure)),
  ];
  const heads = ["per practice", "median", "p90", "p99", "largest", "all"];
  print(`${count(practices.length)} practices, ${count(patients)} patients`, heads, [
    row("physicians", ({ physicians }) => physicians, count),
    row("patients", (practice) => practice.patients, count),
    row("requests in a workday", ({ requests }) => requests, count),
    row(
      "database",
      ({ bytes }) => bytes / 1e9,
      (value) => `${value.toFixed(1)} GB`,
    ),
    row(
      "card images",
      ({ imageBytes }) => imageBytes / 1e9,
      (value) => `${value.toFixed(1)} GB`,
    ),
    row(
      "database cores at the peak",
      ({ cores }) => peak(cores),
      (value) => value.toFixed(4),
    ),
    row(
      "server cores at the peak",
      ({ serverCores }) => peak(serverCores),
      (value) => value.toFixed(4),
    ),
    row(
      "busy connections at the peak",
      ({ connections }) => connections,
      (value) => value.toFixed(4),
    ),
    row(
      "WAL per second at the peak",
      ({ wal }) => wal / 1e3,
      (value) => `${value.toFixed(1)} kB`,
    ),
  ]);
}

/** What one full cell could hold if only one of its resources counted. */
function printCapacity({ practices, patients, capacity }: World, { fill }: Assumptions): void {
  const total = practices.reduce<Need>(sum, {
    cores: Array.from({ length: 24 }, () => 0),
    bytes: 0,
    wal: 0,
    patients: 0,
  });
  const limits: [string, number, string][] = [
    ["database cores", capacity.cores / peak(total.cores), `${capacity.cores}`],
    ["database size", capacity.bytes / total.bytes, tera(capacity.bytes)],
    ["WAL per second", capacity.wal / total.wal, `${count(capacity.wal / 1e6)} MB`],
    ["share of the patients", capacity.patients / patients, percent((capacity.patients * fill) / patients)],
  ];
  print(
    `What a cell holds at ${percent(fill)}, if one resource were the limit`,
    ["limit", "capacity", "patients", "practices of average size"],
    limits.map(([name, part, capacityOf]) => [
      name,
      capacityOf,
      count(part * fill * patients),
      count(part * fill * practices.length),
    ]),
  );
}

function printCells(cells: readonly Cell[], world: World): void {
  const { capacity, patients } = world;
  const rows = REGIONS.map((region) => {
    const own = cells.filter((cell) => cell.region === region);
    const used = own.map(({ need }) => usedPart(need, capacity));
    const shares = own.map(({ need }) => need.patients / patients);
    const practices = own.flatMap((cell) => cell.practices);
    return [
      region,
      count(own.length),
      count(practices.length),
      percent(quantile(used, 0.5)),
      percent(quantile(used, 0.99)),
      percent(Math.max(...used)),
      [...new Set(own.map(({ need }) => scarcest(need, capacity)))].join(", "),
      peak(sumCores(practices, ({ cores }) => cores)).toFixed(1),
      peak(sumCores(practices, ({ serverCores }) => serverCores)).toFixed(1),
      percent(Math.max(...shares)),
      count(
        quantile(
          own.map((cell) => cell.practices.length),
          0.5,
        ),
      ),
      count(Math.max(...own.map((cell) => cell.practices.length))),
    ];
  });
  const heads = [
    "region",
    "cells",
    "practices",
    "used: median",
    "p99",
    "max",
    "scarcest",
    "database cores",
    "server cores",
  ];
  print("Cells", [...heads, "patients in the largest", "practices: median", "most"], rows);
}

/** What it takes to convert each practice once, of practices by size and of whole cells. */
function printConversions({ practices, cells }: World): void {
  const bySize = [...practices].sort((a, b) => a.patients - b.patients);
  const at = (share: number) => bySize.slice(Math.floor(share * bySize.length)).slice(0, 1);
  const largest = cells.reduce((most, cell) => (cell.need.patients > most.need.patients ? cell : most));
  const groups = [at(0.5), at(0.9), at(0.99), bySize.slice(-1), largest.practices, practices];
  const row = (name: string, figure: (conversion: Conversion) => number) => [
    name,
    ...groups.map((group) => count(group.reduce((total, { conversion }) => total + figure(conversion), 0))),
  ];
  const heads = ["", "median", "p90", "p99", "largest", "largest cell", "all"];
  print("Conversion of all insurances, once", heads, [
    row("insurances", ({ insurances }) => insurances),
    row("CPU of workers, s", ({ serverSeconds }) => serverSeconds),
    row("CPU of PostgreSQL, s", ({ databaseSeconds }) => databaseSeconds),
    row("on two cores, s", ({ serverSeconds, databaseSeconds }) => (serverSeconds + databaseSeconds) / 2),
    row("write-ahead log, MB", ({ wal }) => wal / 1e6),
  ]);
}

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
    return {
      ...cell,
      practices,
      need: practices.reduce<Need>(sum, { cores: Array.from({ length: 24 }, () => 0), bytes: 0, wal: 0, patients: 0 }),
    };
  });
}

function printChanges({ cells, capacity, practices }: World, assumptions: Assumptions): void {
  const largest = new Set(
    [...practices]
      .sort((a, b) => b.patients - a.patients)
      .slice(0, 10)
      .map(({ id }) => id),
  );
  const growing = (doubles: (practice: Practice) => boolean) => {
    const changed = growCells(cells, (practice) => (doubles(practice) ? 2 : 1));
    const grown = capacityFor(
      changed.flatMap((cell) => cell.practices),
      assumptions,
    );
    return { changed, moves: rebalance(changed, grown, assumptions) };
  };
  const withNewCell = () => {
    const changed = cells.map((cell) => ({ ...cell, practices: [...cell.practices] }));
    return { changed, moves: fillNewCell(changed, "east", capacity) };
  };
  const changes: [string, { changed: Cell[]; moves: Move[] }][] = [
    ["every tenth practice doubles", growing(({ id }) => id % 10 === 0)],
    ["the ten largest double", growing((practice) => largest.has(practice.id))],
    ["every practice doubles", growing(() => true)],
    ["a cell is added in the east", withNewCell()],
  ];
  const rows = changes.map(([name, { changed, moves }]) => {
    const bytes = moves.reduce((total, { practice }) => total + practice.bytes, 0);
    const longest = Math.max(0, ...moves.map(({ practice }) => practice.bytes));
    return [
      name,
      count(changed.length - cells.length),
      count(moves.length),
      percent(moves.length / practices.length),
      tera(bytes),
      `${(bytes / assumptions.moveBytes / 3600).toFixed(1)} h`,
      `${(longest / assumptions.moveBytes / 60).toFixed(0)} min`,
    ];
  });
  const heads = ["change", "new cells", "practices moved", "share", "moved", "copying, one at a time", "the longest"];
  print("Moves", heads, rows);
}

function printLosses({ cells, patients, practices }: World): void {
  const rows = REGIONS.map((lost) => {
    const own = practices.filter(({ region }) => region === lost);
    const others = practices.filter(({ region }) => region !== lost);
    const cores = (of: readonly Practice[]) =>
      peak(sumCores(of, (each) => each.cores.map((core, hour) => core + (each.serverCores[hour] ?? 0))));
    return [
      lost,
      percent(own.reduce((total, each) => total + each.patients, 0) / patients),
      count(cells.filter(({ region }) => region === lost).length),
      tera(own.reduce((total, { bytes }) => total + bytes, 0)),
      cores(others).toFixed(1),
      cores(practices).toFixed(1),
    ];
  });
  const heads = ["lost region", "patients affected", "cells to take over", "data", "cores before", "cores with both"];
  print("Loss of a region, taken over by the other", heads, rows);
}

function printSensitivity(assumptions: Assumptions): void {
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
    const { cells, capacity, patients, practices } = simulate({ ...assumptions, ...changed });
    const used = cells.map(({ need }) => usedPart(need, capacity));
    const kinds = cells.map(({ need }) => scarcest(need, capacity));
    const most = kinds.filter((kind) => kind === mostFrequent(kinds)).length;
    const shares = Math.max(...cells.map(({ need }) => need.patients / patients));
    const biggest = Math.max(...practices.map((practice) => usedPart(practice, capacity)));
    return [
      name,
      count(cells.length),
      percent(quantile(used, 0.5)),
      percent(biggest),
      percent(shares),
      `${mostFrequent(kinds)} (${most})`,
    ];
  });
  const heads = [
    "assumption",
    "cells",
    "used: median",
    "largest practice, of a cell",
    "patients in the largest",
    "scarcest",
  ];
  print("Other assumptions", heads, rows);
}

/** Returns the most frequent name. */
function mostFrequent(names: readonly string[]): string {
  const times = (name: string) => names.filter((each) => each === name).length;
  return names.reduce((most, name) => (times(name) > times(most) ? name : most));
}

const assumptions = readAssumptions();
const world = simulate(assumptions);
process.stdout.write(`Costs of ${costs.date}: ${costs.cores} cores, PostgreSQL ${costs.postgres}\n`);
printPopulation(world);
printCapacity(world, assumptions);
printCells(world.cells, world);
printConversions(world);
printChanges(world, assumptions);
printLosses(world);
printSensitivity(assumptions);
