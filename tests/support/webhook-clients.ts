// Clients that subscribe, and events for them.
import { createPublicKey, verify } from "node:crypto";
import { createClient, issueToken, verifyClient } from "@/lib/access/clients/commands";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedPatient } from "./api";

export interface Client {
  id: number;
  /** The public client_id. */
  clientId: string;
  token: string;
}

/** Creates a client with full access to these practices. */
export async function newClient(basics: Basics, practices = [basics.enabled]): Promise<Client> {
  const created = await createClient({ name: "Listener", organizationId: basics.organization, practices });
  const verified = await verifyClient(created.clientId, created.clientSecret);
  const secretId = verified?.secretId ?? 0;
  const token = await issueToken({ clientId: created.id, secretId, scopes: ["apiv2"], lifetimeSeconds: 31_536_000 });
  return { id: created.id, clientId: created.clientId, token };
}

export interface Subscription {
  id: number;
  target: string;
  signing_pub_key: string;
  signing_secret: string;
}

/** Subscribes through the API. */
export async function subscribe(client: Client, target: string, resource = "patients"): Promise<Subscription> {
  const { status, body } = await call("POST", "subscriptions", { token: client.token, body: { resource, target } });
  if (status !== 201) throw new Error(`not subscribed: ${JSON.stringify(body)}`);
  return body;
}

/** Creates a client of these practices that subscribes to a resource with this target. */
export async function createListener(
  basics: Basics,
  target: string,
  resource = "patients",
  practices = [basics.enabled],
) {
  const client = await newClient(basics, practices);
  return { client, subscription: await subscribe(client, target, resource) };
}

/** Returns the client's events as the API shows them. */
// biome-ignore lint/suspicious/noExplicitAny: events as the API returns them.
export async function shownEvents(client: Client, query = ""): Promise<any[]> {
  const { status, body } = await call("GET", `published_events?limit=100&${query}`, { token: client.token });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.results;
}

/** The bytes before the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI_HEAD = Buffer.from("302a300506032b6570032100", "hex");

/** Returns whether a signature of Standard Webhooks (`v1a,…`) matches this subscription's public key. */
export function isSigned(
  { signing_pub_key }: Subscription,
  message: { id: string; timestamp: string; body: string; signature: string },
): boolean {
  const raw = Buffer.from(signing_pub_key.replace(/^whpk_/, ""), "base64");
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: "der", type: "spki" });
  const signed = Buffer.from(`${message.id}.${message.timestamp}.${message.body}`);
  return message.signature.split(" ").some((entry) => {
    const [version, signature = ""] = entry.split(",");
    return version === "v1a" && verify(null, signed, key, Buffer.from(signature, "base64"));
  });
}

/** Inserts patients into the database. */
export function seedPatients(basics: Basics, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => seedPatient(basics.enabled, basics.physicians.enabled)));
}

/** A published event as stored. */
export interface StoredEvent {
  id: number;
  event_id: number;
  event_uuid: string;
  subscription_id: number;
  resource_id: number;
  delivery: string;
  attempts: number;
  next_attempt_date: string;
  give_up_date: string;
  processed_date: string | null;
  status_code: number | null;
  error_content: string | null;
}

/** Lists the events of a subscription, oldest first. */
export function storedEvents(subscriptionId: number): Promise<StoredEvent[]> {
  return db.rows<StoredEvent>(sql`SELECT * FROM published_event WHERE subscription_id = ${subscriptionId} ORDER BY id`);
}

export interface StoredAttempt {
  number: number;
  started_date: string;
  duration_ms: number | null;
  status_code: number | null;
  error: string | null;
}

/** Lists the attempts to deliver an event, in order. */
export function attemptsOf(event: { id: number }): Promise<StoredAttempt[]> {
  return db.rows<StoredAttempt>(sql`
    SELECT number, started_date, duration_ms, status_code, error FROM webhook_attempt
    WHERE published_event_id = ${event.id} ORDER BY number`);
}

/** Repeats a query until its result is not null. */
export async function eventually<T>(ask: () => Promise<T | null>, limitMs = 15_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const response = await ask();
    if (response !== null) return response;
    if (Date.now() > end) throw new Error(`no result in time: ${ask}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
