/** A call as a HAR file or an access log tells of it. */
interface Call {
  method: string;
  path: string;
  /** Whether the file says what was sent, and the JSON object in it. */
  body: { sent: Record<string, unknown> | null } | null;
  agent: string | null;
}

/** A legacy write with all that was sent. */
export interface RecordedWrite {
  method: string;
  patient: number;
  body: Record<string, unknown>;
}

/** Calls of one client to one endpoint that carries legacy insurances. */
export interface RecordedUse {
  endpoint: string;
  /** As the client names itself (User-Agent); null where the file does not say. */
  agent: string | null;
  calls: number;
}

/** What a recording tells: how often each legacy endpoint was called, and the writes of which the bodies were recorded. */
export interface Recording {
  uses: RecordedUse[];
  /** The first MOST_WRITES of them. */
  writes: RecordedWrite[];
  allWrites: number;
  /** Calls of any kind that were read. */
  calls: number;
  /** Lines that tell of no call. */
  unread: number;
}

export const MOST_WRITES = 500;

/** The legacy endpoints by method and path, named as they are counted where they are served. */
const ENDPOINTS: readonly [endpoint: string, method: RegExp, path: RegExp][] = [
  ["patients.list", /^GET$/, /^\/api\/2\.0\/patients\/?$/],
  ["patients.create", /^POST$/, /^\/api\/2\.0\/patients\/?$/],
  ["patients.get", /^GET$/, /^\/api\/2\.0\/patients\/\d+\/?$/],
  ["patients.replace", /^PUT$/, /^\/api\/2\.0\/patients\/(\d+)\/?$/],
  ["patients.update", /^PATCH$/, /^\/api\/2\.0\/patients\/(\d+)\/?$/],
  ["insurance_cards.list", /^GET$/, /^\/api\/2\.0\/patients\/\d+\/insurance_cards\/?$/],
  ["insurance_cards.create", /^POST$/, /^\/api\/2\.0\/patients\/\d+\/insurance_cards\/?$/],
  ["insurance_cards.delete", /^DELETE$/, /^\/api\/2\.0\/patients\/\d+\/insurance_cards\/?$/],
];

/** Gathers the legacy calls of a recording, one call at a time. */
class Gathered {
  readonly #uses = new Map<string, RecordedUse>();
  readonly writes: RecordedWrite[] = [];
  allWrites = 0;
  calls = 0;
  unread = 0;

  add({ method, path, body, agent }: Call): void {
    this.calls++;
    const found = ENDPOINTS.find(([, verb, pattern]) => verb.test(method) && pattern.test(path));
    if (!found) return;
    const [endpoint, , pattern] = found;
    const writesInsurances = body?.sent && "insurances" in body.sent;
    // Patients are written for other reasons too: where the body is known, only insurances count.
    if (/^patients\.(create|replace|update)$/.test(endpoint) && body && !writesInsurances) return;
    const key = `${endpoint} ${agent}`;
    const use = this.#uses.get(key) ?? { endpoint, agent, calls: 0 };
    use.calls++;
    this.#uses.set(key, use);
    const patient = Number(pattern.exec(path)?.[1]);
    if (!patient || !writesInsurances) return;
    this.allWrites++;
    if (this.writes.length < MOST_WRITES) this.writes.push({ method, patient, body: body.sent ?? {} });
  }

  result(): Recording {
    const uses = [...this.#uses.values()].sort((a, b) => b.calls - a.calls);
    const { writes, allWrites, calls, unread } = this;
    return { uses, writes, allWrites, calls, unread };
  }
}

const IS_HAR = /^\s*\{\s*"log"\s*:\s*\{/;

/**
 * The legacy calls of a recording: a HAR file, or an access log line by line, in the combined format or as JSON objects with
 * a method and a path, and the body where the server logs it.
 *
 * @param texts the file's text in pieces of any length, so that a log may be larger than memory; a HAR file is read whole
 * @throws Error in words, where it is neither
 */
export async function readRecording(texts: AsyncIterable<string>): Promise<Recording> {
  const gathered = new Gathered();
  let rest = "";
  let isHar: boolean | null = null;
  for await (const text of texts) {
    rest += text;
    isHar ??= rest.trimStart().length >= 64 ? IS_HAR.test(rest) : null;
    if (isHar === false) rest = addLines(gathered, rest);
  }
  if (isHar ?? IS_HAR.test(rest)) addHar(gathered, rest);
  else addLines(gathered, `${rest}\n`);
  if (gathered.calls === 0) {
    throw new Error(
      "No call was found in the file: it is neither a HAR file nor an access log in the combined format or of JSON lines.",
    );
  }
  return gathered.result();
}

/** @returns the last line, that may go on */
function addLines(gathered: Gathered, text: string): string {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  for (const line of lines) {
    if (line.trim() === "") continue;
    const call = line.trimStart().startsWith("{") ? readJsonLine(line) : readCombinedLine(line);
    if (call) gathered.add(call);
    else gathered.unread++;
  }
  return last;
}

interface HarEntry {
  request?: {
    method?: unknown;
    url?: unknown;
    postData?: { text?: unknown };
    headers?: { name?: unknown; value?: unknown }[];
  };
}

function addHar(gathered: Gathered, text: string): void {
  const har = parseObject(text);
  if (!har) throw new Error("The file begins like a HAR file and is cut off or damaged: it is not JSON.");
  const entries = isObject(har.log) ? har.log.entries : null;
  if (!Array.isArray(entries)) throw new Error("The HAR file holds no calls (log.entries).");
  const calls: readonly (HarEntry | null)[] = entries;
  for (const entry of calls) {
    const { method, url, postData, headers } = entry?.request ?? {};
    const sent = postData?.text;
    const agent = Array.isArray(headers) ? headers.find(({ name }) => /^user-agent$/i.test(String(name)))?.value : null;
    const call = toCall(method, url, typeof sent === "string" ? sent : "", agent);
    if (call) gathered.add(call);
    else gathered.unread++;
  }
}

/** `127.0.0.1 - - [time] "PUT /api/2.0/patients/7/ HTTP/1.1" 200 512 "-" "agent"` */
const COMBINED = /"([A-Z]+) (\S+) HTTP\/[\d.]+"(?:.*"([^"]*)")?/;

function readCombinedLine(line: string): Call | null {
  const [, method, path, agent] = COMBINED.exec(line) ?? [];
  return toCall(method, path, undefined, agent === "-" ? null : agent);
}

const METHODS = ["method", "request_method", "requestMethod", "http_method", "httpMethod", "verb"];
const PATHS = ["path", "url", "uri", "request_uri", "requestUri", "requestUrl", "requestPath", "http_path"];
const BODIES = ["body", "request_body", "requestBody"];
const AGENTS = ["user_agent", "userAgent", "http_user_agent", "agent"];

/** Servers name the same things differently, and some nest them below `request` or write its first line there. */
function readJsonLine(line: string): Call | null {
  const entry = parseObject(line);
  if (!entry) return null;
  const nested = [entry.request, entry.httpRequest, entry.http, entry.req].find(isObject);
  const fields = { ...entry, ...nested };
  const [method, path] = typeof entry.request === "string" ? entry.request.split(" ") : [];
  const of = (names: readonly string[]) => names.map((name) => fields[name]).find((value) => value !== undefined);
  return toCall(method ?? of(METHODS), path ?? of(PATHS), of(BODIES), of(AGENTS));
}

function toCall(method: unknown, url: unknown, body: unknown, agent: unknown): Call | null {
  if (typeof method !== "string" || typeof url !== "string") return null;
  const path = url.replace(/^https?:\/\/[^/]+/, "").replace(/[?#].*$/, "");
  const sent = isObject(body) ? body : typeof body === "string" ? parseObject(body) : null;
  return {
    method: method.toUpperCase(),
    path,
    body: body === undefined || body === null || body === "-" ? null : { sent },
    agent: typeof agent === "string" && agent !== "" ? agent : null,
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The policy calls that replace each legacy endpoint. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  "patients.list": "GET /api/2.0/patients/{patient}/policies for each patient, and published events of policies",
  "patients.get": "GET /api/2.0/patients/{patient}/policies?status=active",
  "patients.create": "POST /api/2.0/patients/ without insurances, then POST /api/2.0/patients/{patient}/policies",
  "patients.update":
    "POST, PATCH or DELETE /api/2.0/patients/{patient}/policies[/{policy}]: one call for each insurance that changes",
  "patients.replace":
    "POST, PUT or DELETE /api/2.0/patients/{patient}/policies[/{policy}]: one call for each insurance that changes",
  "insurance_cards.list": "GET /api/2.0/patients/{patient}/policies/{policy}/card-images",
  "insurance_cards.create": "POST /api/2.0/patients/{patient}/policies/{policy}/card-images",
  "insurance_cards.delete": "DELETE /api/2.0/patients/{patient}/policies/{policy}/card-images/{image_rank}",
};

/** Returns the call that replaces a legacy endpoint. */
export function findReplacement(endpoint: string): string {
  return REPLACEMENTS[endpoint] ?? "The calls below /api/2.0/patients/{patient}/policies";
}
