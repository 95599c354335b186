// A webhook receiver that runs in a separate process: node webhook-receiver.mjs TARGETS. It listens on one port for
// each target and on another for control requests, prints the ports as a line of JSON, and exits when its standard
// input ends. By default it returns 200. It stores every request.
import http from "node:http";
import { text } from "node:stream/consumers";

const DRIP_MS = 50;

/** @type {{ id: string, attempt: number, port: number, path: string, headers: object, body: string, started: number, ended: number | null }[]} */
let received = [];
/** Responses to the next requests: each rule applies once per behavior, and the first match wins. */
let rules = [];
let held = [];
let delayMs = 0;
let underWay = new Map();
let mostUnderWay = new Map();

const BEHAVIOURS = {
  ok: (response) => setTimeout(() => response.end(), delayMs),
  silent: () => {},
  reset: (response) => response.socket?.resetAndDestroy(),
  drip: (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("."), DRIP_MS);
    response.on("close", () => clearInterval(timer));
  },
  redirect: (response, url) => response.writeHead(302, { location: `${url}-elsewhere` }).end(),
  held: (response) => held.push(response),
};

function behave(behaviour, response, url) {
  const known = BEHAVIOURS[behaviour];
  if (known) known(response, url);
  else response.writeHead(Number(behaviour)).end("an ignored response");
}

function nextBehaviour(path, body) {
  const fits = (rule) => rule.path === path && (rule.resourceId === null || body.includes(`/${rule.resourceId}/"`));
  const rule = rules.find((candidate) => candidate.behaviours.length > 0 && fits(candidate));
  return rule?.behaviours.shift() ?? "ok";
}

/** Reads a body. Returns null if the client disconnects in the middle of it. */
const textOf = (request) => text(request).catch(() => null);

function count(port, by) {
  const now = (underWay.get(port) ?? 0) + by;
  underWay.set(port, now);
  mostUnderWay.set(port, Math.max(now, mostUnderWay.get(port) ?? 0));
}

async function receive(request, response) {
  const port = request.socket.localPort;
  const { headers, url: path } = request;
  const entry = { id: headers["webhook-id"], attempt: Number(headers["x-crosswalk-attempt"]), port, path, headers };
  const record = { ...entry, body: "", started: Date.now(), ended: null };
  received.push(record);
  count(port, 1);
  response.on("close", () => {
    record.ended = Date.now();
    count(port, -1);
  });
  const body = await textOf(request);
  if (body === null) return;
  record.body = body;
  behave(nextBehaviour(path, record.body), response, `http://${headers.host}${path}`);
}

const QUESTIONS = {
  "/requests": ({ path }) => received.filter((request) => path === undefined || request.path === path),
  "/arrivals": () => received.map(({ id, attempt, port }) => [id, attempt, port]),
  "/stats": () => ({
    requests: received.length,
    spanMs: received.reduce((last, { ended }) => Math.max(last, ended ?? 0), 0) - (received[0]?.started ?? 0),
    mostUnderWay: Object.fromEntries(mostUnderWay),
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
  }),
  "/rule": (rule) => {
    rules.push({ resourceId: null, ...rule });
    return null;
  },
  "/release": ({ status = 200 }) => {
    for (const response of held.splice(0)) response.writeHead(status).end();
    return null;
  },
  "/reset": (settings) => {
    received = [];
    rules = [];
    held = [];
    delayMs = settings.delayMs ?? 0;
    underWay = new Map();
    mostUnderWay = new Map();
    return null;
  },
};

async function handleControl(request, response) {
  const question = JSON.parse((await textOf(request)) || "{}");
  response.setHeader("content-type", "application/json").end(JSON.stringify(QUESTIONS[request.url](question)));
}

async function listen(listener) {
  const server = http.createServer(listener);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

const targets = await Promise.all(Array.from({ length: Number(process.argv[2] ?? 1) }, () => listen(receive)));
console.log(JSON.stringify({ control: await listen(handleControl), targets }));
process.stdin.on("end", () => process.exit(0)).resume();
