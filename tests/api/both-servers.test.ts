// The production server and `next dev` serve the same routes, so clients must see no difference.
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { type RunningServer, startServer } from "../support/servers";

let basics: Basics;
let servers: RunningServer[] = [];

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  servers = await Promise.all([startServer("production"), startServer("development")]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

const HEADERS = [
  "content-type",
  "cache-control",
  "allow",
  "etag",
  "www-authenticate",
  "retry-after",
  "deprecation",
  "link",
];

/** Returns a response without what may differ: addresses, and the IDs and times of the two records. */
function comparable(text: string, server: RunningServer): unknown {
  if (text === "") return null;
  return JSON.parse(text.replaceAll(server.url, ""), (key, value) => {
    if (
      /(^id$|^patient$|^policy$|^request_id$|^master_patient$|_date$|^patient_insurance$|^last_modified$|^last_status_change$|^url$|^next$|^previous$)/.test(
        key,
      )
    )
      return typeof value;
    return typeof value === "string" ? value.replace(/(patients|policies)\/\d+/g, "$1/n") : value;
  });
}

async function sendTo(server: RunningServer, request: Question, ids: Ids) {
  const path = request.path.replace("{patient}", String(ids.patient)).replace("{policy}", String(ids.policy));
  const headers: Record<string, string> = {
    ...(request.token === null ? {} : { authorization: `Bearer ${basics.token}` }),
  };
  if (request.body !== undefined) headers["content-type"] = "application/json";
  const body = request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const response = await fetch(`${server.url}/api/2.0/${path}`, {
    method: request.method ?? "GET",
    headers: { ...headers, ...request.headers },
    redirect: "manual",
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const found = Object.fromEntries(
    HEADERS.map((name) => [name, response.headers.get(name)?.replaceAll(server.url, "").replace(/\d+/g, "n") ?? null]),
  );
  expect(response.headers.get("x-request-id"), `${request.method} ${path}`).toBeTruthy();
  return { status: response.status, headers: found, body: comparable(text, server), raw: text };
}

interface Question {
  method?: string;
  path: string;
  body?: unknown;
  raw?: string;
  token?: null;
  headers?: Record<string, string>;
}
interface Ids {
  patient: number;
  policy: number;
}

const P = "patients/{patient}";
/** One path of each kind is enough, because `next dev` needs seconds to compile a route. */
const QUESTIONS: Question[] = [
  { path: "practices", token: null },
  { path: "practices/" },
  { path: "practices?limit=0" },
  { path: "patients/?last_name=lopez&limit=1" },
  { path: `${P}` },
  { path: `${P}/` },
  { path: "patients/999999999" },
  { path: "patients/abc" },
  { path: "patients/%00" },
  { path: "no/such/path", token: null },
  { path: `${P}/policies` },
  { path: `${P}/policies/?status=wrong` },
  { path: `${P}/policies/{policy}/` },
  { path: `${P}/policies/{policy}`, headers: { "if-none-match": '"1"' } },
  { method: "HEAD", path: `${P}/policies/{policy}` },
  { method: "OPTIONS", path: `${P}/policies/{policy}` },
  { method: "PATCH", path: `${P}/policies` },
  { method: "POST", path: `${P}/policies`, body: { ...MARIA, rank: 2, member_id: "B1" } },
  { method: "POST", path: `${P}/policies/`, body: { rank: 9 } },
  { method: "POST", path: `${P}/policies`, raw: "{", headers: { "content-type": "application/json" } },
  { method: "POST", path: `${P}/policies`, raw: "x", headers: { "content-type": "text/plain" } },
  { method: "PUT", path: `${P}/policies/{policy}/`, body: { ...MARIA, plan: "Gold" } },
  { method: "PUT", path: `${P}/policies/{policy}`, body: MARIA, headers: { "if-match": '"99"' } },
  { method: "PATCH", path: `${P}/policies/{policy}?dry_run=true`, body: { plan: "Tin" } },
  { path: `${P}/policies/{policy}/versions/` },
  { path: `${P}/policies/{policy}/card-images` },
  { method: "DELETE", path: `${P}/policies/{policy}/card-images/1` },
  { path: `${P}/insurance_cards/` },
  { method: "PATCH", path: `${P}/`, body: { insurances: [{ rank: "primary" }, { rank: "primary" }] } },
  { method: "PATCH", path: P, body: { notes: "Prefers mornings." } },
  { method: "DELETE", path: `${P}/policies/{policy}` },
  { method: "POST", path: `${P}/policies/{policy}/restore` },
  { path: "card_images/00000000-0000-4000-8000-000000000000?expires=1&signature=x", token: null },
  {
    method: "POST",
    path: "oauth2/token/",
    raw: "grant_type=x",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  },
];

test(`${QUESTIONS.length} requests get the same responses`, async () => {
  const ids: Ids[] = [];
  for (const server of servers) {
    const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
    const created = await sendTo(
      server,
      { method: "POST", path: `patients/${patient}/policies`, body: { ...MARIA, rank: 1 } },
      {
        patient,
        policy: 0,
      },
    );
    const policy = JSON.parse(created.raw).id as number;
    ids.push({ patient, policy });
    const upload = { image: await imageContent(1) };
    const image = await sendTo(
      server,
      { method: "POST", path: `${P}/policies/{policy}/card-images`, body: upload },
      { patient, policy },
    );
    expect(image.status).toBe(201);
    const { url } = JSON.parse(image.raw);
    const bytes = await fetch(url);
    expect([bytes.status, bytes.headers.get("content-type")]).toEqual([200, "image/png"]);
  }
  for (const question of QUESTIONS) {
    const [ours, next] = await Promise.all(servers.map((server, at) => sendTo(server, question, ids[at] as Ids)));
    const seen = ({ status, headers, body }: NonNullable<typeof ours>) => ({ status, headers, body });
    if (!ours || !next) throw new Error("two servers are compared");
    expect(seen(next), JSON.stringify(question)).toEqual(seen(ours));
    expect(ours.status).toBeLessThan(500);
  }
});
