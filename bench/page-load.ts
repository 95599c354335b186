// node scripts/run.mjs bench/page-load.ts [--network fast-4g|slow-4g|lighthouse|none] [--rounds 5] [--json]
// Measures how soon the pages of a patient and of a policy's history are visible and interactive in Chromium. README.md explains the
// results.
import path from "node:path";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContext, type CDPSession, chromium } from "@playwright/test";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { CHROMIUM_ARGS, findChromium, prepareChromium } from "@/tests/support/chromium.mjs";
import { cleanUp, startCrosswalk, temporaryDataDir } from "@/tests/support/processes";
import { Browser as Client } from "@/tests/support/sign-in";
import { accountOf, api, newCardImage, newPatient, newPolicy, practices } from "@/tests/ui/support/demo";
import { median, table } from "./report";

const GOAL_MS = 1_000;
const VERSIONS = 100;

/** Bits per second, and milliseconds that each request waits: presets of Chromium's developer tools, and the one of Lighthouse. */
const NETWORKS = {
  "fast-4g": { download: 0.9 * 9_000_000, upload: 0.9 * 1_500_000, latency: 165 },
  "slow-4g": { download: 0.9 * 1_600_000, upload: 0.9 * 750_000, latency: 562.5 },
  lighthouse: { download: 1_638_400, upload: 768_000, latency: 150 },
  none: null,
} as const;
/** The network of the goal. */
const DEFAULT_NETWORK = "fast-4g";
type Network = keyof typeof NETWORKS;
const isNetwork = (name: string): name is Network => Object.hasOwn(NETWORKS, name);

/** A page, a control on it with its text, and what appears once the control works. */
interface Target {
  name: string;
  path: string;
  control: string;
  label: string;
  effect: string;
}

/** Milliseconds since the navigation began, and what was transferred until the page was interactive. */
interface Load {
  html: number;
  firstPaint: number;
  hydrated: number;
  interactive: number;
  requests: number;
  kB: number;
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      network: { type: "string", default: DEFAULT_NETWORK },
      rounds: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
    },
  });
  const [network, rounds] = [values.network, Number(values.rounds)];
  if (!isNetwork(network)) throw new Failure(`--network must be ${Object.keys(NETWORKS).join(", ")}`);
  if (!(rounds >= 1)) throw new Failure("--rounds must be at least 1");
  const missing = await prepareChromium();
  if (missing) throw new Failure(missing);
  await step("Starting the server with a demo", startServer);
  const targets = await step(`Creating a policy with ${VERSIONS} versions`, createTargets);
  const cookies = await signIn();
  const browser = await chromium.launch({ executablePath: findChromium() ?? "", args: CHROMIUM_ARGS });
  onEnd(() => browser.close());
  const figures: { name: string; load: Load }[] = [];
  for (const target of targets) {
    const loads: Load[] = [];
    // The first load warms up the server and is not counted.
    for (let round = 0; round <= rounds; round++) loads.push(await load(browser, cookies, target, network));
    figures.push({ name: target.name, load: medians(loads.slice(1)) });
  }
  say(values.json ? JSON.stringify({ network, figures }, null, 2) : format(network, figures));
  return network !== DEFAULT_NETWORK || figures.every(({ load }) => load.interactive < GOAL_MS) ? 0 : 1;
});

async function startServer(): Promise<void> {
  const dataDir = temporaryDataDir();
  const port = await freePort();
  const server = startCrosswalk({ CROSSWALK_DATA_DIR: dataDir, PORT: String(port) }, { demo: true });
  onEnd(async () => {
    server.child.kill("SIGTERM");
    await server.exited;
    await cleanUp(dataDir);
  });
  await server.printed("Press Ctrl-C to stop");
  process.env.UI_BASE = `http://localhost:${port}`;
  process.env.UI_DEMO = path.join(dataDir, "demo.json");
}

/** Creates a patient with three policies, one of them changed many times. */
async function createTargets(): Promise<Target[]> {
  const { enabled } = practices();
  const patient = await newPatient(enabled);
  const policy = await newPolicy(patient, { group_id: "G-100", copay: "25" });
  for (const rank of [2, 3]) await newPolicy(patient, { carrier: `Payer ${rank}`, rank });
  for (const imageRank of [1, 2]) await newCardImage(patient, policy.id, imageRank);
  for (let version = policy.version + 2; version < VERSIONS; version++)
    await api("PATCH", `patients/${patient.id}/policies/${policy.id}`, { body: { member_id: `ACM${version}` } });
  const base = `/practices/${enabled}/patients/${patient.id}`;
  return [
    {
      name: "patient",
      path: base,
      control: "button[aria-label='Copy patient ID']",
      label: "",
      effect: "button[aria-label='Copy patient ID'] .lucide-check",
    },
    {
      name: "history",
      path: `${base}/policies/${policy.id}/history`,
      control: "button",
      label: "Side by side",
      effect: "th:nth-child(4)",
    },
  ];
}

type Cookies = Parameters<BrowserContext["addCookies"]>[0];

async function signIn(): Promise<Cookies> {
  const url = process.env.UI_BASE ?? "";
  const client = new Client(url);
  const { email, password } = accountOf("admin");
  await client.signIn(email, password);
  return client.cookie.split("; ").map((pair) => {
    const at = pair.indexOf("=");
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}

/**
 * Loads a page with an empty cache and clicks the control once it is on screen. Before the click takes effect, the only code of ours in
 * the page is `observe`, since Playwright's helpers would add about 60 ms.
 */
async function load(browser: Browser, cookies: Cookies, target: Target, network: Network): Promise<Load> {
  const context = await browser.newContext({
    baseURL: process.env.UI_BASE ?? "",
    viewport: { width: 1280, height: 900 },
    permissions: ["clipboard-write"],
  });
  await context.addCookies(cookies);
  const page = await context.newPage();
  // Starts a renderer process ahead of time. Chrome keeps a spare one ready; headless Chromium does not.
  await page.goto("/api/2.0/");
  const session = await context.newCDPSession(page);
  await throttle(session, network);
  await page.addInitScript(observe, target);
  await session.send("Runtime.enable");
  await session.send("Runtime.addBinding", { name: "crosswalkReport" });
  const interactive = new Promise<void>((resolve) => {
    session.on("Runtime.bindingCalled", ({ payload }) => {
      const center = JSON.parse(payload) as { x: number; y: number } | null;
      if (center) void click(session, center);
      else resolve();
    });
  });
  await page.goto(target.path, { waitUntil: "commit" });
  await interactive;
  const measured = await page.evaluate(readLoad);
  await context.close();
  return measured;
}

async function click(session: CDPSession, center: { x: number; y: number }): Promise<void> {
  const button = { ...center, button: "left", clickCount: 1 } as const;
  await session.send("Input.dispatchMouseEvent", { ...button, type: "mousePressed" });
  await session.send("Input.dispatchMouseEvent", { ...button, type: "mouseReleased" });
}

async function throttle(session: CDPSession, network: Network): Promise<void> {
  const conditions = NETWORKS[network];
  if (!conditions) return;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: conditions.latency,
    downloadThroughput: conditions.download / 8,
    uploadThroughput: conditions.upload / 8,
  });
}

declare global {
  interface Window {
    crosswalkLoad?: Record<string, number>;
    /** Gets the center of the control once it is visible, and null once the click has taken effect, as JSON. */
    crosswalkReport?: (report: string) => void;
  }
}

/** Runs in the browser. Records when the page is hydrated and when the click takes effect. */
function observe({ control, label, effect }: Target): void {
  const times: Record<string, number> = {};
  window.crosswalkLoad = times;
  window.addEventListener("crosswalk:ready", () => {
    times.hydrated = performance.now();
  });
  let isFound = false;
  const observer = new MutationObserver(() => {
    const found = isFound
      ? undefined
      : [...document.querySelectorAll(control)].find(({ textContent }) => textContent.includes(label));
    if (found) {
      isFound = true;
      // An observer reports the position without forcing a layout.
      new IntersectionObserver(([entry], visible) => {
        if (!entry?.isIntersecting) return;
        visible.disconnect();
        const { x, y, width, height } = entry.boundingClientRect;
        window.crosswalkReport?.(JSON.stringify({ x: x + width / 2, y: y + height / 2 }));
      }).observe(found);
    }
    if (!document.querySelector(effect)) return;
    times.interactive = performance.now();
    observer.disconnect();
    window.crosswalkReport?.("null");
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** Runs in the browser. Returns what was recorded. */
function readLoad(): Load {
  const { hydrated = 0, interactive = 0 } = window.crosswalkLoad ?? {};
  const [navigation] = performance.getEntriesByType("navigation");
  const [firstPaint] = performance.getEntriesByName("first-contentful-paint");
  const html = navigation instanceof PerformanceNavigationTiming ? navigation : null;
  const resources = performance
    .getEntriesByType("resource")
    .filter((entry) => entry instanceof PerformanceResourceTiming)
    .filter(({ responseEnd }) => responseEnd <= interactive);
  const bytes = [...resources, ...(html ? [html] : [])].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  return {
    html: html?.responseEnd ?? 0,
    firstPaint: firstPaint?.startTime ?? 0,
    hydrated,
    interactive,
    requests: resources.length + 1,
    kB: bytes / 1_000,
  };
}

function medians(loads: readonly Load[]): Load {
  const of = (pick: (load: Load) => number) => Math.round(median(loads.map(pick)));
  return {
    html: of(({ html }) => html),
    firstPaint: of(({ firstPaint }) => firstPaint),
    hydrated: of(({ hydrated }) => hydrated),
    interactive: of(({ interactive }) => interactive),
    requests: of(({ requests }) => requests),
    kB: of(({ kB }) => kB),
  };
}

function format(network: Network, figures: readonly { name: string; load: Load }[]): string {
  const head = ["page", "HTML ms", "first paint", "hydrated", "interactive", "requests", "kB", "goal"];
  const rows = figures.map(({ name, load }) => {
    const { html, firstPaint, hydrated, interactive, requests, kB } = load;
    const cells = [html, firstPaint, hydrated, interactive, requests, kB].map(String);
    const goal = `< ${GOAL_MS} ms: ${interactive < GOAL_MS ? "met" : "MISSED"}`;
    return [name, ...cells, network === DEFAULT_NETWORK ? goal : ""];
  });
  return `${network}\n${table(head, rows)}`;
}
