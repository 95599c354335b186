import fs from "node:fs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { HOURS, PER_PATIENT_AND_YEAR, PER_PRACTICE_AND_DAY, PER_VISIT, ZONES } from "./assumptions";
import { formatCosts } from "./costs";
import { passage, replacePassages } from "./passages";
import { createPractices, patientBytes } from "./population";
import { count, formatSimulation, percent, tera } from "./tables";
import {
  auditShare,
  convertAll,
  costOfMillion,
  largestCell,
  largestPractice,
  medianDisk,
  partOfLargest,
  partsOfOneCell,
  peak,
  perSecondAtPeak,
  quantile,
  simulateChanges,
  simulateLoss,
  total,
  type World,
  writesPerSecond,
} from "./world";

export const DOCUMENT_FILE = inRoot("docs/scaling.md");
const RESULTS_FILE = inRoot("bench/results.md");

/** The machine that the document compares with a cell. */
const MACHINE = { cores: 2, bytes: 500e9 };
/** Milliseconds from coast to coast and back, which the document assumes. */
const COASTS_MS = 70;

const million = (value: number) => `${(value / 1e6).toFixed(1)} million`;
const kilo = (bytes: number, digits = 0) => `${(bytes / 1e3).toFixed(digits)} kB`;
const giga = (bytes: number, digits = 0) => `${(bytes / 1e9).toFixed(digits)} GB`;

const counted = (items: number, name: string) => `${count(items)} ${name}${items === 1 ? "" : "s"}`;

function describeTime(seconds: number): string {
  if (seconds < 100) return `${seconds.toFixed(0)} seconds`;
  return seconds < 6_000 ? `${(seconds / 60).toFixed(0)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

/** CPU milliseconds of a request. */
interface RequestTime {
  server: string;
  database: string;
}

/** Reads what requests of the product cost in the last published run of `npm run bench`. */
export function readResults(): { get: RequestTime; put: RequestTime } {
  const lines = fs.readFileSync(RESULTS_FILE, "utf8").split("\n");
  const find = (job: string): RequestTime => {
    const first = lines.findIndex((line) => line.startsWith(`${job} `));
    const line = lines.slice(first).find((each) => each.trimStart().startsWith("crosswalk "));
    const [, , , , perServer, perTotal] = line?.trim().split(/\s+/) ?? [];
    const [server, both] = [1000 / Number(perServer), 1000 / Number(perTotal)];
    if (first < 0 || !(server > 0 && both > server)) throw new Error(`${RESULTS_FILE} has no CPU times of ${job}`);
    return { server: server.toPrecision(2), database: (both - server).toPrecision(2) };
  };
  return { get: find("GET policy"), put: find("PUT policy") };
}

/** Returns docs/scaling.md with the figures of this simulation. */
export function fillDocument(document: string, world: World, results: ReturnType<typeof readResults>): string {
  const tables: [RegExp, string][] = [
    [/(?<=```text\n)per request .*?(?=\n```)/s, formatCosts(world.costs.costs)],
    [/(?<=```text\n)Costs of .*?(?=\n```)/s, formatSimulation(world)],
  ];
  const withTables = tables.reduce((text, [pattern, content]) => text.replace(pattern, () => content), document);
  const { get, put } = results;
  return replacePassages(withTables, [
    ...summarize(world),
    ...describeMeasurement(world),
    ...describeAssumptions(world),
    ...describeMachines(world),
    ...describeSimulation(world),
    ...describeMoves(world),
    ...describeLosses(world),
    passage`Over 16, at another time, a \`PUT\` took ${put.server} ms of the server and ${put.database} ms of PostgreSQL, and a \`GET\`
      ${get.server} and ${get.database} ms`,
  ]);
}

function summarize(world: World) {
  const { practices, patients, bytes, cells, capacity, assumptions } = world;
  const database = total(practices, ({ cores }) => peak(cores));
  const server = total(practices, ({ serverCores }) => peak(serverCores));
  const parts = partsOfOneCell(world);
  return [
    passage`assumptions below, ${count(practices.length)} practices with ${count(patients / 1e6)} million patients need
      ${database.toFixed(1)} cores of PostgreSQL and ${server.toFixed(1)} cores of servers`,
    passage`With ten times the requests, they need ${count((database + server) * 10)} cores together.`,
    passage`If no cell may hold more than ${percent(assumptions.cellShare, 0)} of the patients, there are
      ${count(cells.length)} cells, with ${percent(medianDisk(cells, capacity), 0)} of their disk in use (median).`,
    passage`A patient with five years of data takes ${kilo(bytes / patients)},
      ${percent(auditShare(world), 0)} of them in the audit log`,
    passage`All practices take ${tera(bytes, 0)}, more than`,
    passage`By size alone, a cell could hold ${(parts.patients / parts.bytes).toFixed(1)} times as many patients.`,
    passage`**The largest practice** takes ${percent(partOfLargest(world))} of a cell.`,
  ];
}

function describeMeasurement({ costs, assumptions }: World) {
  const { rowBytes } = costs;
  const date = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" }).format(new Date(costs.date));
  const row = (name: string) => count(rowBytes[name] ?? 0);
  const cores = count(costs.cores);
  const settings = costs.settings ? `\`${costs.settings}\`` : "settings that were not recorded";
  const insured = patientBytes({ ...assumptions, chartBytes: 0, documentBytes: 0 }, costs);
  return [
    passage`measured these figures on ${date}, with Node.js ${costs.node} and PostgreSQL ${costs.postgres} on ${cores} cores.
      The load average was ${costs.loadAverage.toFixed(1)} before the run: above ${cores}, other programs took`,
    passage`PostgreSQL had ${settings}. The database had`,
    passage`Rows with their share of the indexes take ${row("patient")} bytes (\`patient\`), ${row("policy")} (\`policy\`),
      ${row("policy_version")} (\`policy_version\`) or ${row("patient_insurance")} (\`patient_insurance\`).`,
    passage`Each audit entry takes ${row("audit_entry")} bytes. A \`published_event\` takes ${row("published_event")} bytes, and a
      \`replication_event\` ${row("replication_event")} bytes. A patient with ${String(assumptions.policiesPerPatient)} policies, one image
      each and their legacy insurances takes ${kilo(insured, 1)}, without`,
  ];
}

function describeAssumptions({ practices, assumptions, costs }: World) {
  const a = assumptions;
  const physicians = total(practices, (practice) => practice.physicians);
  const shareOf = (isCounted: (size: number) => boolean) =>
    percent(total(practices, ({ physicians: size }) => (isCounted(size) ? size : 0)) / physicians);
  const visit = (kind: keyof typeof PER_VISIT) => String(PER_VISIT[kind]);
  const zones = ZONES.map(({ name, share }) => `${percent(share)} ${name}`).join(", ");
  return [
    passage`| \`practices\`, \`seed\` | ${count(a.practices)}, ${String(a.seed)} |`,
    passage`| \`physiciansMedian\`, \`physiciansSigma\` | ${String(a.physiciansMedian)}, ${String(a.physiciansSigma)} |
      ${shareOf((size) => size <= 10)} of physicians work in practices of up to ten,
      ${shareOf((size) => size >= 50)} in those of 50 or more.`,
    passage`| \`patientsPerPhysician\` | ${count(a.patientsPerPhysician)} |`,
    passage`| \`policiesPerPatient\` | ${String(a.policiesPerPatient)} |`,
    passage`| \`visitsPerPatientAndYear\` | ${String(a.visitsPerPatientAndYear)} |`,
    passage`| time zones | ${zones} |`,
    passage`| requests per visit | ${visit("get")} \`GET\`, ${visit("list")} lists, ${visit("put")} \`PUT\`, ${visit("create")} \`POST\`,
      ${visit("patch")} \`PATCH\`, ${visit("upload")} uploads, ${visit("webhook")} webhooks |`,
    passage`| other requests | ${String(PER_PATIENT_AND_YEAR.list)} lists per patient and year,
      ${String(PER_PRACTICE_AND_DAY.token)} tokens per practice and day |`,
    passage`| \`load\` | ${String(a.load)} |`,
    passage`| hours, \`workdaysPerYear\`, \`burst\` | the busiest hour has ${percent(Math.max(...HOURS), 0)} of a day, in
      ${String(a.workdaysPerYear)} days, and its busiest seconds have ${String(a.burst)} times its average |`,
    passage`| \`chartBytes\`, \`documentBytes\` | ${kilo(a.chartBytes)} of other records per patient, ${kilo(a.documentBytes)} of documents`,
    passage`| \`imageBytes\` | ${kilo(a.imageBytes)} for each photo`,
    passage`The generated photo of the measurement takes ${kilo(costs.costs.upload.imageBytes)} |`,
    passage`| \`years\`, \`auditYears\` | ${String(a.years)} years of data; the audit is kept for ${String(a.auditYears)} |`,
    passage`| \`cellCores\`, \`cellBytes\`, \`cellWalBytes\` | ${String(a.cellCores)} cores, ${tera(a.cellBytes, 0)},
      ${count(a.cellWalBytes / 1e6)} MB per second |`,
    passage`| \`cellShare\` | ${percent(a.cellShare, 0)} of all patients |`,
    passage`| \`fill\`, \`limit\` | new practices fill ${percent(a.fill, 0)} of a cell, and a cell beyond ${percent(a.limit, 0)} gives`,
    passage`| \`moveBytes\` | ${count(a.moveBytes / 1e6)} MB per second | less than what one core of PostgreSQL copies:
      ${count(costs.copyBytesPerCpuSecond / 1e6)} MB per second of`,
  ];
}

function describeMachines(world: World) {
  const { practices, patients, bytes, cells, assumptions } = world;
  const { fill, cellBytes, cellCores } = assumptions;
  const { serverSeconds, databaseSeconds } = costOfMillion(world);
  const ofDay = total(practices, ({ requests }) => requests);
  const perSecond = perSecondAtPeak(ofDay, assumptions);
  const images = total(practices, ({ imageBytes }) => imageBytes) / patients;
  const connections = total(practices, (practice) => practice.connections);
  const held = (part: number) =>
    [million(part * patients), count(part * practices.length), count(part * perSecond)] as const;
  const [machine, cluster, all] = [held((MACHINE.bytes * fill) / bytes), held((cellBytes * fill) / bytes), held(1)];
  const served = (cores: number, secondsPerMillion: number) => count((cores * fill * 1e6) / secondsPerMillion);
  return [
    passage`| one machine with ${String(MACHINE.cores)} cores and ${giga(MACHINE.bytes)} | \`npm start\`, or Compose | ${machine[0]} |
      ${machine[1]} | ${machine[2]} of ${served(MACHINE.cores, serverSeconds + databaseSeconds)} |`,
    passage`| one cluster with ${String(cellCores)} cores and ${tera(cellBytes, 0)} | three database machines, two or more with servers
      and workers ([guide](guides/high-availability.md)) | ${cluster[0]} | ${cluster[1]} |
      ${cluster[2]} of ${served(cellCores, databaseSeconds)} |`,
    passage`A bad deployment or migration affects everyone | | ${count(cells.length)} cells | a cluster for some organizations each |
      ${all[0]} | ${all[1]} | ${all[2]} |`,
    passage`- **Patients**: ${percent(fill, 0)} of the disk, without card images, which take another ${kilo(images)} per patient.`,
    passage`in one time zone, and what ${percent(fill, 0)} of the cores could serve.`,
    passage`requests of all practices together keep ${connections.toFixed(1)} connections busy.`,
  ];
}

function describeSimulation(world: World) {
  const { practices, cells, capacity, costs, assumptions } = world;
  const { convert } = costs.costs;
  const largest = convertAll([largestPractice(world)]);
  const cell = convertAll(largestCell(world).practices);
  const walPerSecond = cell.wal / cell.seconds;
  const atATime = Math.floor(assumptions.cellWalBytes / walPerSecond);
  const conversionWal = costs.conversionWalBytes?.convert;
  const { tenLargestDouble, cellAdded } = simulateChanges(world);
  const sources = new Set(cellAdded.moves.map(({ from }) => from));
  const busier = createPractices({ ...assumptions, load: assumptions.load * 50 }, costs);
  return [
    passage`If two cores are always busy, the largest practice takes ${describeTime(largest.seconds)}, and all practices of the largest
      cell take ${describeTime(cell.seconds)}, one after the other. That writes ${count(walPerSecond / 1e6)} MB of the write-ahead log
      per second, ${percent(walPerSecond / assumptions.cellWalBytes, 0)} of what a cell has, so convert
      only ${counted(atATime, "practice")} at a time in a cell.`,
    passage`Together, they allow ${count(cell.insurances / cell.seconds)} insurances per second and write
      ${kilo(convert.walBytes, 1)} for each, of which the conversion itself writes
      ${conversionWal === undefined ? "a part that was not recorded" : kilo(conversionWal, 1)}.`,
    passage`If the ten largest double, ${counted(tenLargestDouble.moves.length, "practice")} must move.`,
    passage`- **A new cell** in the east takes over ${percent(cellAdded.moves.length / practices.length)} of the practices, from
      ${count(sources.size)} of the ${count(cells.filter(({ region }) => region === "east").length)} other cells of its region.`,
    passage`- **With 50 times the requests**, the largest practice takes
      ${percent(partOfLargest({ practices: busier, capacity }), 0)} of a cell`,
  ];
}

function describeMoves(world: World) {
  const { practices, assumptions } = world;
  const sizes = practices.map(({ bytes }) => bytes);
  const [median, p99, largest] = [quantile(sizes, 0.5), quantile(sizes, 0.99), Math.max(...sizes)];
  const time = (bytes: number) => describeTime(bytes / assumptions.moveBytes);
  const audit = auditShare(world);
  // In the worst case, the current year of the audit is over.
  const pastAudit = audit * (1 - 1 / Math.min(assumptions.years, assumptions.auditYears));
  return [
    passage`At ${count(assumptions.moveBytes / 1e6)} MB per second, step 4 takes ${time(median)} for the median practice (${giga(median, 1)}),
      ${time(p99)} for the 99th percentile (${giga(p99)}) and ${time(largest)} for the largest (${giga(largest)}).`,
    passage`because they no longer change, up to ${percent(1 - pastAudit, 0)} of the data remains.`,
    passage`If all sealed blocks are, ${percent(1 - audit, 0)} remains.`,
  ];
}

function describeLosses(world: World) {
  const { bytes, costs, assumptions } = world;
  const { share, cells, coresBefore, coresWithBoth } = simulateLoss(world, "east");
  const connectionMs = costs.costs.put.connectionMs ?? 0;
  const writes = writesPerSecond(world);
  return [
    passage`The loss of a cell's primary affects ${percent(assumptions.cellShare, 0)} of the patients until`,
    passage`that region needs the disks of all cells (${tera(bytes, 0)}). If the east is lost, the west takes over ${percent(share, 0)}
      of the patients and ${count(cells)} primaries. In the busiest seconds, it then needs ${coresWithBoth.toFixed(1)} cores instead of
      ${coresBefore.toFixed(1)}. No program`,
    passage`each commit waits for the other coast: [about ${String(COASTS_MS)} ms]`,
    passage`keep its connection busy for ${count(connectionMs + COASTS_MS)} instead of ${count(connectionMs)} ms. With up to
      ${count(writes)} writes per second in all cells, that is ${((writes * COASTS_MS) / 1000).toFixed(1)} connections more.`,
  ];
}
