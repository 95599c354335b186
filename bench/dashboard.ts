// node scripts/run.mjs bench/dashboard.ts [--minutes 4] [--picture FILE.png]
// Puts load on a server and a worker, collects their metrics with Prometheus, and draws the panels of deploy/grafana/dashboard.json.
// README.md explains why.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { inRoot, ROOT } from "@/scripts/lib/paths.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { CHROMIUM_ARGS, findChromium, prepareChromium } from "@/tests/support/chromium.mjs";
import { GENERATED_COMPANIES, generatePatients, toLines } from "@/tests/support/generated-export";
import { imageContent } from "@/tests/support/images";
import { cleanUp, startCrosswalk, temporaryDataDir } from "@/tests/support/processes";
import { findPrometheus, preparePrometheus } from "@/tests/support/prometheus.mjs";
import { startReceiver, stopReceivers } from "@/tests/support/webhook-receivers";
import { adminCalls, api, base, newPatient, newPolicy, practices } from "@/tests/ui/support/demo";
import { DASHBOARD_STYLE, type DrawnPanel, drawPanels, type Panel, type PanelData } from "./dashboard-page";

const DASHBOARD = inRoot("deploy/grafana/dashboard.json");
const PICTURE = inRoot("docs/screens/dashboard.png");
const SCRAPE_S = 5;
/** Grafana's rule for $__rate_interval: four scrapes. */
const RATE_INTERVAL = `${4 * SCRAPE_S}s`;
const CLIENTS = 4;
const PAUSE_MS = 20;
/** The size of the export that is converted meanwhile. */
const INSURANCES = 60_000;

await main(async () => {
  const { values } = parseArgs({
    options: { minutes: { type: "string", default: "4" }, picture: { type: "string", default: PICTURE } },
  });
  const minutes = Number(values.minutes);
  if (!(minutes >= 1 && minutes <= 60)) throw new Failure("--minutes must be from 1 to 60");
  const missing = (await prepareChromium()) ?? (await preparePrometheus());
  if (missing) throw new Failure(missing);
  const targets = await step("Starting a server with a demo, and a worker", startProcesses);
  const prometheus = await step("Starting Prometheus", () => startPrometheus(targets));
  const start = Date.now() / 1_000;
  await step(`Calling the server for ${minutes} min`, () => putLoad(minutes * 60_000));
  const { panels } = JSON.parse(fs.readFileSync(DASHBOARD, "utf8")) as { panels: Panel[] };
  const range = { start: start + 4 * SCRAPE_S, end: Date.now() / 1_000 };
  const drawn: DrawnPanel[] = [];
  for (const panel of panels) drawn.push({ ...panel, data: await query(prometheus, panel, range) });
  await step("Drawing the panels", () => draw(drawn, values.picture));
  const empty = drawn.filter(({ type, data }) => type !== "row" && data.series.length === 0);
  say(`The picture is in ${values.picture}`);
  if (empty.length > 0) say(`Panels without data: ${empty.map(({ title }) => title).join(", ")}`);
  return 0;
});

/** Starts the processes. Returns the addresses of their metrics by process. */
async function startProcesses(): Promise<Record<string, string>> {
  const dataDir = temporaryDataDir();
  const [port, server, worker] = [await freePort(), await freePort(), await freePort()];
  const settings = {
    CROSSWALK_DATA_DIR: dataDir,
    PORT: String(port),
    STREAM_CONSUMER: "worker",
    WEBHOOK_ALLOW_PRIVATE: "true",
  };
  const web = startCrosswalk({ ...settings, METRICS_PORT: String(server) }, { demo: true });
  onEnd(async () => {
    web.child.kill("SIGTERM");
    await web.exited;
    await cleanUp(dataDir);
  });
  await web.printed("Press Ctrl-C to stop");
  keepRunning(process.execPath, ["scripts/run.mjs", "scripts/worker.ts"], {
    ...settings,
    METRICS_PORT: String(worker),
  });
  process.env.UI_BASE = `http://localhost:${port}`;
  process.env.UI_DEMO = path.join(dataDir, "demo.json");
  return { server: `localhost:${server}`, worker: `localhost:${worker}` };
}

/** Starts a program that is stopped at the end. */
function keepRunning(program: string, args: readonly string[], settings: Record<string, string> = {}): void {
  // Not the database of this benchmark.
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, NODE_ENV: "production" as const, LOG_LEVEL: "silent", ...settings };
  const child = spawn(program, args, { cwd: ROOT, env, stdio: "ignore" });
  onEnd(async () => {
    const ended = once(child, "exit");
    if (child.kill("SIGTERM")) await ended;
  });
}

/** Starts Prometheus with the project's alerts. Returns its URL. */
async function startPrometheus(targets: Record<string, string>): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-prometheus-"));
  onEnd(async () => fs.rmSync(folder, { recursive: true, force: true }));
  const config = {
    global: { scrape_interval: `${SCRAPE_S}s`, evaluation_interval: `${SCRAPE_S}s` },
    rule_files: [inRoot("deploy/prometheus/alerts.yaml")],
    scrape_configs: Object.entries(targets).map(([instance, address]) => ({
      job_name: instance,
      static_configs: [{ targets: [address], labels: { job: "crosswalk", instance } }],
    })),
  };
  const file = path.join(folder, "prometheus.yaml");
  fs.writeFileSync(file, JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const data = path.join(folder, "data");
  keepRunning(findPrometheus() ?? "", [
    `--config.file=${file}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=${address}`,
  ]);
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let attempt = 0; !(await isReady()); attempt++) {
    if (attempt === 100) throw new Failure("Prometheus did not start");
    await setTimeout(100);
  }
  return `http://${address}`;
}

/** Calls the API and pages as several clients would. A migration run goes on meanwhile. In the middle third, a webhook receiver is down. */
async function putLoad(ms: number): Promise<void> {
  let webhookStatus = 200;
  const receiver = await startReceiver((_request, response) => response.writeHead(webhookStatus).end());
  onEnd(stopReceivers);
  const target = `http://127.0.0.1:${receiver.port}/`;
  // The first client makes the changes, and events skip the client that made them.
  await api("POST", "subscriptions", { body: { resource: "patients", target }, client: 1 });
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, () => runClient(() => isOver));
  const load = Promise.all([...clients, setTimeout(ms / 8).then(runMigration)]);
  for (const status of [200, 500, 200]) {
    webhookStatus = status;
    // The load lasts longer, but it can fail.
    await Promise.race([load, setTimeout(ms / 3)]);
  }
  isOver = true;
  await load;
}

/** Checks, converts and verifies an export. */
async function runMigration(): Promise<void> {
  const call = await adminCalls();
  const runs = `practices/${practices().disabled}/migrations`;
  const content = new TextEncoder().encode(toLines([...generatePatients({ insurances: INSURANCES, faults: 0 })]));
  const companies = toLines(GENERATED_COMPANIES);
  const { id, part_bytes } = await call("POST", runs, { name: "patients.ndjson", size: content.length, companies });
  const parts = Math.ceil(content.length / part_bytes);
  for (let part = 1; part <= parts; part++) {
    await call("PUT", `${runs}/${id}/parts/${part}`, content.subarray((part - 1) * part_bytes, part * part_bytes));
  }
  for (const [path, body, state] of [
    ["work", { work: "check" }, "checked"],
    ["conversion", undefined, "converted"],
    ["work", { work: "verify" }, "verified"],
  ] as const) {
    await call("POST", `${runs}/${id}/${path}`, body);
    for (;;) {
      const { run } = await call("GET", `${runs}/${id}`);
      if (run.state === state) break;
      if (run.state === "failed") throw new Failure(`The run failed: ${run.error}`);
      await setTimeout(1_000);
    }
  }
}

/** Keeps writing to a new patient and reading, with a page and a rejected request in each round. */
async function runClient(isOver: () => boolean): Promise<void> {
  const { enabled } = practices();
  for (let round = 0; !isOver(); round++) {
    const patient = await newPatient(enabled);
    const { id } = await newPolicy(patient);
    const policies = `patients/${patient.id}/policies`;
    await api("POST", `${policies}/${id}/card-images`, { body: { image: await imageContent(1), image_rank: 1 } });
    for (let change = 0; change < 10; change++) {
      await api("PATCH", `${policies}/${id}`, { body: { member_id: `ACM${change}` } });
      for (const path of [`${policies}/${id}`, policies, `patients/${patient.id}`, "patients/?limit=50"]) {
        await api("GET", path);
        await setTimeout(PAUSE_MS);
      }
    }
    await api("PATCH", `patients/${patient.id}`, {
      body: { insurances: [{ rank: "primary", plan: `Plan ${round}` }] },
    });
    await fetch(`${base()}/docs`);
    await fetch(`${base()}/api/2.0/patients/`);
  }
}

interface Range {
  /** Seconds since 1970. */
  start: number;
  end: number;
}

/** Reads what a panel shows, as Grafana does. */
async function query(prometheus: string, { targets = [] }: Panel, { start, end }: Range): Promise<PanelData> {
  const times = Array.from({ length: Math.floor((end - start) / SCRAPE_S) + 1 }, (_, at) => start + at * SCRAPE_S);
  const series = [];
  for (const { expr, legendFormat } of targets) {
    const wanted = { query: expr.replaceAll("$__rate_interval", RATE_INTERVAL), step: String(SCRAPE_S) };
    const parameters = new URLSearchParams({ ...wanted, start: String(start), end: String(end) });
    const response = await fetch(`${prometheus}/api/v1/query_range?${parameters}`);
    const { status, error, data } = (await response.json()) as Answer;
    if (status !== "success") throw new Failure(`Prometheus rejected ${expr}: ${error}`);
    for (const { metric, values } of data.result) {
      const name = legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? "");
      const byStep = new Map(values.map(([at, value]) => [Math.round((at - start) / SCRAPE_S), Number(value)]));
      series.push({ name, values: times.map((_, step) => finite(byStep.get(step))) });
    }
  }
  return { times, series };
}

/** A response of Prometheus to a range query. */
interface Answer {
  status: string;
  error?: string;
  data: { result: { metric: Record<string, string>; values: [at: number, value: string][] }[] };
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

async function draw(drawn: DrawnPanel[], picture: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: findChromium() ?? "", args: CHROMIUM_ARGS });
  const page = await browser.newPage({ viewport: { width: 1_600, height: 900 } });
  await page.setContent("<!doctype html><title>Crosswalk</title>");
  await page.addScriptTag({ path: inRoot("node_modules/uplot/dist/uPlot.iife.min.js") });
  await page.addStyleTag({ path: inRoot("node_modules/uplot/dist/uPlot.min.css") });
  // tsx wraps functions in calls of __name, which the page lacks.
  await page.addScriptTag({ content: "window.__name = (value) => value" });
  await page.evaluate(drawPanels, { panels: drawn, style: DASHBOARD_STYLE });
  await page.screenshot({ path: picture, fullPage: true });
  await browser.close();
}
