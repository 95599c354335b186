// The demo's accounts, and the public API as its clients see it, to read back what was done in the browser.
import fs from "node:fs";
import type { DemoFile } from "@/scripts/seed-demo";
import { imageContent } from "@/tests/support/images";
import { Browser } from "@/tests/support/sign-in";

type Role = DemoFile["staff"][number]["role"];

let read: DemoFile | undefined;

/** Reads demo.json. */
export function demo(): DemoFile {
  read ??= JSON.parse(fs.readFileSync(process.env.UI_DEMO as string, "utf8")) as DemoFile;
  return read;
}

/** Returns the server's address without a trailing slash. */
export const base = () => process.env.UI_BASE as string;

export function accountOf(role: Role): { email: string; password: string } {
  const found = demo().staff.find((account) => account.role === role);
  if (!found) throw new Error(`the demo has no ${role}`);
  return found;
}

/**
 * Lists the practices of the demo's staff: with Insurance Versioning, without, one of another organization, and
 * one each for the tests of the switch, the daily tasks, the migration assistant, and corrections (a server that
 * UI_BASE names lacks these four).
 */
export function practices() {
  const [enabled, disabled, foreign] = demo().practices.map(({ id }) => id);
  if (!enabled || !disabled || !foreign) throw new Error("the demo has too few practices");
  const [switched = disabled, migrating = disabled, importing = enabled, correcting = enabled] = (
    process.env.UI_PRACTICES ?? ""
  )
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return { enabled, disabled, foreign, switched, migrating, importing, correcting };
}

const tokens = new Map<number, Promise<string>>();

/** Requests a token with client credentials. */
export async function tokenOf(client_id: string, client_secret: string): Promise<Response> {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  return fetch(`${base()}/api/2.0/oauth2/token/`, { method: "POST", body });
}

async function demoToken(at: number): Promise<string> {
  const client = demo().clients[at];
  if (!client) throw new Error(`the demo has no client ${at}`);
  const response = await tokenOf(client.client_id, client.client_secret);
  return ((await response.json()) as { access_token: string }).access_token;
}

interface ApiOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** The demo client that calls. */
  client?: number;
}

/** Calls the public API, and throws if the call is rejected. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape.
export async function api(method: string, path: string, { body, headers, client = 0 }: ApiOptions = {}): Promise<any> {
  if (!tokens.has(client)) tokens.set(client, demoToken(client));
  const response = await fetch(`${base()}/api/2.0/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await tokens.get(client)}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Reads staff data as the demo's admin. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export const staffGet = async (path: string): Promise<any> => (await adminCalls())("GET", path);

let adminSession: Promise<Browser> | undefined;

async function signInAdmin(): Promise<Browser> {
  const browser = new Browser(base());
  const { email, password } = accountOf("admin");
  await browser.signIn(email, password);
  return browser;
}

/** Calls staff operations as the demo's admin without a page; anything but bytes is sent as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export async function adminCalls(): Promise<(method: string, path: string, body?: unknown) => Promise<any>> {
  adminSession ??= signInAdmin();
  const browser = await adminSession;
  return async (method, path, body) => {
    const isBytes = body instanceof Uint8Array;
    const type = isBytes ? "application/octet-stream" : "application/json";
    const response = await fetch(`${base()}/api/staff/${path}`, {
      method,
      headers: { cookie: browser.cookie, origin: base(), ...(body === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
}

const PERSON = { first_name: "Robin", dob: "1984-02-29", sex: "Female" };
const SYLLABLES = [
  "ba",
  "cor",
  "del",
  "fen",
  "gar",
  "hol",
  "jun",
  "kes",
  "lor",
  "mun",
  "nor",
  "per",
  "quin",
  "ros",
  "tam",
  "vel",
];
let made = 0;

/** Returns a unique name without digits. */
export function newName(): string {
  let number = Date.now() * 1000 + process.pid * 10 + made++;
  let name = "";
  for (let turn = 0; turn < 6; turn++) {
    name += SYLLABLES[number % SYLLABLES.length];
    number = Math.floor(number / SYLLABLES.length);
  }
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export interface NewPatient {
  id: number;
  lastName: string;
  /** Formats dates as tables do. */
  shownName: string;
}

/** Creates a patient for one test through the API. */
export async function newPatient(practice: number, lastName = newName()): Promise<NewPatient> {
  const physicians: { id: number; practice: number }[] = (await api("GET", "physicians/?limit=100")).results;
  const physician = physicians.find((one) => one.practice === practice)?.id;
  const body = { ...PERSON, last_name: lastName, caregiver_practice: practice, primary_physician: physician };
  const { id } = await api("POST", "patients/", { body });
  return { id, lastName, shownName: `${lastName}, ${PERSON.first_name}` };
}

/** Adds an active policy to a patient. */
export async function newPolicy(patient: NewPatient, fields: object = {}): Promise<{ id: number; version: number }> {
  const body = {
    patient_first_name: PERSON.first_name,
    patient_last_name: patient.lastName,
    patient_dob: PERSON.dob,
    rank: 1,
    carrier: "Acme Health",
    plan: "Gold PPO",
    member_id: "ACM100",
    ...fields,
  };
  return api("POST", `patients/${patient.id}/policies`, { body });
}

/** Adds a card image to a policy. */
export async function newCardImage(patient: NewPatient, policy: number, imageRank: number): Promise<void> {
  const body = { image: await imageContent(imageRank), image_rank: imageRank };
  await api("POST", `patients/${patient.id}/policies/${policy}/card-images`, { body });
}
