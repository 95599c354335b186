/** A call in a HAR file or an access log. */
interface Call {
  method: string;
  path: string;
  /** The body, if the file has it, and the JSON object in the body. */
  body: { sent: Record<string, unknown> | null } | null;
  agent: string | null;
}

/** A legacy write with its body. */
export interface RecordedWrite {
  method: string;
  patient: number;
  body: Record<string, unknown>;
}

/** Calls of one client to one endpoint that carries legacy insurances. */
export interface RecordedUse {
  endpoint: string;
  /** The User-Agent of the client; null if the file lacks it. */
  agent: string | null;
  calls: number;
}

/** The legacy calls in a recording: counts by endpoint, and the writes whose bodies were recorded. */
export interface Recording {
  uses: RecordedUse[];
  /** The first MAX_WRITES writes. */
  writes: RecordedWrite[];
  allWrites: number;
  /** The number of calls of any kind. */
  calls: number;
  /** The number of lines without a call. */
  unread: number;
}

export const MAX_WRITES = 500;

/** The legacy endpoints by method and path, with the names that usage statistics give them. */
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

/** Collects the legacy calls of a recording. */
class RecordingBuilder {
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
    // Writes of patients can have other reasons. If the body is known, only those with insurances count.
    if (/^patients\.(create|replace|update)$/.test(endpoint) && body && !writesInsurances) return;
    const key = `${endpoint} ${agent}`;
    const use = this.#uses.get(key) ?? { endpoint, agent, calls: 0 };
    use.calls++;
    this.#uses.set(key, use);
    const patient = Number(pattern.exec(path)?.[1]);
    if (!patient || !writesInsurances) return;
    this.allWrites++;
    if (this.writes.length < MAX_WRITES) this.writes.push({ method, patient, body: body.sent ?? {} });
  }

  result(): Recording {
    const uses = [...this.#uses.values()].sort((a, b) => b.calls - a.calls);
    const { writes, allWrites, calls, unread } = this;
    return { uses, writes, allWrites, calls, unread };
  }
}

const IS_HAR = /^\s*\{\s*"log"\s*:\s*\{/;

/**
 * Reads the legacy calls of a recording: a HAR file, or an access log in the combined format or as JSON lines, with the
 * bodies if the server logs them.
 *
 * @param texts the text of the file in pieces of any length, because logs can be larger than memory
 * @throws Error with a message for the user, if the file is neither
 */
export async function readRecording(texts: AsyncIterable<string>): Promise<Recording> {
  const builder = new RecordingBuilder();
  let rest = "";
  let isHar: boolean | null = null;
  for await (const text of texts) {
    rest += text;
    isHar ??= rest.trimStart().length >= 64 ? IS_HAR.test(rest) : null;
    if (isHar === false) rest = addLines(builder, rest);
  }
  if (isHar ?? IS_HAR.test(rest)) addHar(builder, rest);
  else addLines(builder, `${rest}\n`);
  if (builder.calls === 0) {
    throw new Error(
      "The file contains no calls. Use a HAR file, or an access log in the combined format or as JSON lines.",
    );
  }
  return builder.result();
}

/** Adds the calls of whole lines, and returns the incomplete last line. */
function addLines(builder: RecordingBuilder, text: string): string {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  for (const line of lines) {
    if (line.trim() === "") continue;
    const call = line.trimStart().startsWith("{") ? readJsonLine(line) : readCombinedLine(line);
    if (call) builder.add(call);
    else builder.unread++;
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

function addHar(builder: RecordingBuilder, text: string): void {
  const har = parseObject(text);
  if (!har) throw new Error("The HAR file is incomplete or damaged: it is not valid JSON.");
  const entries = isObject(har.log) ? har.log.entries : null;
  if (!Array.isArray(entries)) throw new Error("The HAR file contains no calls (log.entries).");
  const calls: readonly (HarEntry | null)[] = entries;
  for (const entry of calls) {
    const { method, url, postData, headers } = entry?.request ?? {};
    const sent = postData?.text;
    const agent = Array.isArray(headers) ? headers.find(({ name }) => /^user-agent$/i.test(String(name)))?.value : null;
    const call = toCall(method, url, typeof sent === "string" ? sent : "", agent);
    if (call) builder.add(call);
    else builder.unread++;
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

/** Reads a line of a JSON log. Servers use different names, and some nest the fields in `request` or put the request line there. */
function readJsonLine(line: string): Call | null {
  const entry = parseObject(line);
  if (!entry) return null;
  const nested = [entry.request, entry.httpRequest, entry.http, entry.req].find(isObject);
  const fields = { ...entry, ...nested };
  const [method, path] = typeof entry.request === "string" ? entry.request.split(" ") : [];
  const firstField = (names: readonly string[]) =>
    names.map((name) => fields[name]).find((value) => value !== undefined);
  return toCall(method ?? firstField(METHODS), path ?? firstField(PATHS), firstField(BODIES), firstField(AGENTS));
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
