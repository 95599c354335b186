// Clients that keep writing to both stores of a cluster, and a record of each write.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { imageStore } from "@/lib/platform/storage/image-store";
import { MARIA, seedPatient } from "./api";
import { imageContent } from "./images";
import { expectStoresAgree } from "./stores";

/** Between two writes, so that the other tests get a share of the machine. */
const PAUSE_MS = 20;
const RETRY_MS = 100;
/** Longer than a request waits for a connection to the database. */
const TIMEOUT_MS = 20_000;

/** A write, which the client repeats until it is acknowledged. */
interface Write {
  /** A POST has the same Idempotency-Key in each attempt. Other methods have the same effect if they are repeated. */
  method: string;
  /** The IDs of all attempts. */
  attempts: string[];
  /** The deadline of the practice had passed, so it must not be made. */
  isRejected?: boolean;
}

/** A client that writes to one patient, each write until it is acknowledged. */
export class Writer {
  readonly writes: Write[] = [];
  /** How many attempts were rejected or lost their connection. */
  failures = 0;
  readonly #url: string;
  readonly #token: string;
  readonly patient: number;

  constructor(options: { url: string; token: string; patient: number }) {
    this.#url = `${options.url}/api/2.0/`;
    this.#token = options.token;
    this.patient = options.patient;
  }

  async run(isOver: () => boolean): Promise<void> {
    const policies = `patients/${this.patient}/policies`;
    for (let round = 0; !isOver(); round++) {
      const member_id = `M${round}`;
      const created = await this.#write("POST", policies, { ...MARIA, rank: 1, member_id });
      const policy = created ?? (await this.#find(policies, member_id));
      await this.#write("POST", `${policies}/${policy.id}/card-images`, { image: await imageContent(round) });
      await this.#write("PUT", `${policies}/${policy.id}`, { ...MARIA, rank: 1, group_id: `G${round}` });
      const legacy = { rank: "primary", plan: `P${round}`, member_id: `L${this.patient}-${round}` };
      const patched = await this.#write("PATCH", `patients/${this.patient}`, { insurances: [legacy] });
      if (patched) await this.#expectListed(legacy.member_id);
    }
  }

  /** Expects a list, which a standby may serve, to contain what was acknowledged. */
  async #expectListed(member_id: string): Promise<void> {
    const { status, json } = await this.#attempt("GET", `patients/?member_id=${member_id}`);
    if (status === 200) expect(json.results.map(({ id }: { id: number }) => id)).toEqual([this.patient]);
  }

  /** Returns the record, or null if the write was made but its response was lost. */
  async #write(method: string, path: string, body: object): Promise<{ id: number } | null> {
    const write: Write = { method, attempts: [] };
    const key = randomUUID();
    await setTimeout(PAUSE_MS);
    this.writes.push(write);
    for (;;) {
      const requestId = randomUUID();
      write.attempts.push(requestId);
      const { status, json } = await this.#attempt(method, path, { body, key, requestId });
      if (status >= 200 && status < 300) return json;
      if (json.code === "idempotency_answer_lost") return null;
      if (json.code === "legacy_insurances_deprecated") {
        write.isRejected = true;
        return null;
      }
      this.failures += 1;
      expect([0, 409, 502, 503, 504], JSON.stringify(json)).toContain(status);
      await setTimeout(RETRY_MS);
    }
  }

  /** Finds the active policy, as a client does that has lost the response to its creation. */
  async #find(path: string, member_id: string): Promise<{ id: number }> {
    for (;;) {
      const { status, json } = await this.#attempt("GET", path);
      const found = json.results?.find((policy: { member_id: string }) => policy.member_id === member_id);
      if (status === 200) return found ?? expect.unreachable(`no policy ${member_id}`);
      await setTimeout(RETRY_MS);
    }
  }

  async #attempt(method: string, path: string, write?: { body: object; key: string; requestId: string }) {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      "content-type": "application/json",
      ...(write && { "idempotency-key": write.key, "x-request-id": write.requestId }),
    };
    const body = write ? JSON.stringify(write.body) : null;
    const request = { method, headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) };
    try {
      const response = await fetch(this.#url + path, request);
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return { status: response.status, json: isJson ? await response.json() : {} };
    } catch {
      return { status: 0, json: {} };
    }
  }
}

export interface LoadResult {
  writes: number;
  /** Acknowledged writes without a version. */
  lost: number;
  /** Creations that were made by more than one attempt, and rejected writes that were made. */
  doubled: number;
  failures: number;
}

export interface LoadOptions {
  url: string;
  practice: number;
  physician: number;
  token: string;
  writers: number;
}

/**
 * Writes to several patients while `during` runs, and compares what is stored with what was acknowledged.
 *
 * @param during ends early if `isOver`, because a client has met an unexpected error
 */
export async function underLoad(
  { url, practice, physician, token, writers: count }: LoadOptions,
  during: (writers: readonly Writer[], isOver: () => boolean) => Promise<void>,
): Promise<LoadResult & { patients: number[] }> {
  const patients = await Promise.all(Array.from({ length: count }, () => seedPatient(practice, physician)));
  const writers = patients.map((patient) => new Writer({ url, token, patient }));
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const running = Promise.all(writers.map((writer) => writer.run(() => isOver))).finally(end);
  const repaired = during(writers, () => isOver).finally(end);
  // If a client fails, what it met must still be repaired.
  for (const result of await Promise.allSettled([running, repaired]))
    if (result.status === "rejected") throw result.reason;
  await untilDelivered();
  for (const patient of patients) await expectStoresAgree(patient);
  await expectImagesStored(patients);
  const writes = writers.flatMap((writer) => writer.writes);
  const applied = await appliedRequests(patients);
  const timesMade = ({ attempts }: Write) => attempts.filter((id) => applied.has(id)).length;
  return {
    patients,
    writes: writes.length,
    lost: writes.filter((write) => !write.isRejected && timesMade(write) === 0).length,
    doubled: writes.filter((write) => {
      if (write.isRejected) return timesMade(write) > 0;
      return write.method === "POST" && timesMade(write) > 1;
    }).length,
    failures: countFailures(writers),
  };
}

/** Returns how many attempts of all clients were rejected or lost their connection. */
export const countFailures = (writers: readonly Writer[]) =>
  writers.reduce((total, writer) => total + writer.failures, 0);

/** Waits until every change is in both stores, and every event is delivered. */
async function untilDelivered(): Promise<void> {
  const open = () =>
    db.rows(sql`SELECT id FROM replication_event WHERE status IN ('pending', 'failed')
      UNION ALL SELECT id FROM published_event WHERE delivery NOT IN ('delivered', 'canceled') LIMIT 1`);
  await expect.poll(open, { timeout: 60_000, interval: 200 }).toEqual([]);
}

/** Expects the store to have the bytes of each image that a record of the patients refers to. */
async function expectImagesStored(patients: readonly number[]): Promise<void> {
  const images = await db.rows<{ image_key: string; bytes: number }>(sql`
    SELECT image_key, bytes FROM legacy_card WHERE patient_id = ANY(${[...patients]})`);
  for (const { image_key, bytes } of images) expect((await imageStore().get(image_key))?.byteLength).toBe(bytes);
}

async function appliedRequests(patients: readonly number[]): Promise<Set<string>> {
  const rows = await db.rows<{ request: string }>(sql`
    SELECT request_id AS request FROM policy_version WHERE patient_id = ANY(${[...patients]})
    UNION SELECT request_id FROM patient_version WHERE patient_id = ANY(${[...patients]})`);
  return new Set(rows.map(({ request }) => request));
}
