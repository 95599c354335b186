// A client that keeps writing to both stores of a cluster, and a record of what was acknowledged.
import { createHash, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { MARIA } from "../api";
import { imageContent } from "../images";
import type { ExpectedPolicy, Write } from "./checks";

/** Between two writes, so that the other tests get a share of the machine. */
const PAUSE_MS = 20;
const RETRY_MS = 100;
/** Longer than a request waits for a connection to the database. */
const TIMEOUT_MS = 20_000;
/** Longer than any fault lasts, and a cluster may take to heal. */
const GIVE_UP_MS = 150_000;

interface Options {
  /** Of the API: it ends with a slash. */
  url: string;
  token: string;
  patient: number;
}

/** The body of a response, or an empty object. */
// biome-ignore lint/suspicious/noExplicitAny: the client reads responses of several operations.
type Body = any;

/** A client that writes to one patient, each write until it is acknowledged. */
export class Writer {
  readonly writes: Write[] = [];
  /** What the acknowledged writes have left, in the order of creation. */
  readonly policies: ExpectedPolicy[] = [];
  /** How many attempts were rejected or lost their connection. */
  failures = 0;
  readonly patient: number;
  readonly #options: Options;
  #signal = new AbortController().signal;

  constructor(options: Options) {
    this.#options = options;
    this.patient = options.patient;
  }

  /**
   * Writes until `isOver`.
   *
   * @param signal aborted if the round has failed: then nothing is repeated any more
   */
  async run(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    try {
      await this.#writeRounds(isOver);
    } finally {
      this.#signal = new AbortController().signal;
    }
  }

  async #writeRounds(isOver: () => boolean): Promise<void> {
    const policies = `patients/${this.patient}/policies`;
    for (let round = 0; !isOver(); round++) {
      const member_id = `M${round}`;
      const created = await this.#write("created", policies, { ...MARIA, rank: 1, member_id });
      const { id, patient_insurance } = created ?? (await this.#find(policies, member_id));
      const policy: ExpectedPolicy = { id, member_id, group_id: null, plan: null, sha256: null };
      this.policies.push(policy);
      const image = await imageContent(round);
      await this.#write("card_image_added", `${policies}/${id}/card-images`, { image });
      policy.sha256 = createHash("sha256").update(Buffer.from(image.base64_content, "base64")).digest("hex");
      const group_id = `G${round}`;
      await this.#write("replaced", `${policies}/${id}`, { ...MARIA, rank: 1, group_id });
      policy.group_id = group_id;
      const edit = { plan: `P${round}`, member_id: `L${this.patient}-${round}` };
      const insurances = [{ id: patient_insurance, rank: "primary", ...edit }];
      if (!(await this.#write("edited", `patients/${this.patient}`, { insurances }))) continue;
      Object.assign(policy, edit);
      await this.#expectListed(edit.member_id);
    }
  }

  /** Reads all policies of the patient. */
  async readPolicies(): Promise<(Omit<ExpectedPolicy, "sha256"> & { status: string })[]> {
    const found: Awaited<ReturnType<Writer["readPolicies"]>> = [];
    for (let offset = 0; ; offset = found.length) {
      const path = `patients/${this.patient}/policies?limit=100&offset=${offset}`;
      const { count, results } = await this.#read(path);
      found.push(...results);
      if (found.length >= count || results.length === 0) return found;
    }
  }

  /** Expects a list, which a standby may serve, to contain what was acknowledged. */
  async #expectListed(member_id: string): Promise<void> {
    const { status, json } = await this.#attempt("GET", `patients/?member_id=${member_id}`);
    if (status === 200) expect(json.results.map(({ id }: { id: number }) => id)).toEqual([this.patient]);
  }

  /** Returns the record, or null if the write was made but its response was lost, or the deadline has passed. */
  async #write(kind: Write["kind"], path: string, body: object): Promise<Body | null> {
    const write: Write = { kind, attempts: [], began: performance.now(), acknowledged: null, isRejected: false };
    const key = randomUUID();
    await setTimeout(PAUSE_MS);
    this.writes.push(write);
    for (;;) {
      const requestId = randomUUID();
      write.attempts.push(requestId);
      const { status, json } = await this.#attempt(METHODS[kind], path, { body, key, requestId });
      write.isRejected = json.code === "legacy_insurances_deprecated";
      const isLost = json.code === "idempotency_answer_lost";
      if ((status >= 200 && status < 300) || isLost || write.isRejected) {
        write.acknowledged = performance.now();
        return isLost || write.isRejected ? null : json;
      }
      this.failures += 1;
      expect([0, 409, 502, 503, 504], JSON.stringify(json)).toContain(status);
      await this.#pause(write.began);
    }
  }

  /** Finds the active policy, as a client does that has lost the response to its creation. */
  async #find(path: string, member_id: string): Promise<Body> {
    const { results } = await this.#read(path);
    const found = results.find((policy: { member_id: string }) => policy.member_id === member_id);
    return found ?? expect.unreachable(`no policy ${member_id}`);
  }

  async #read(path: string): Promise<Body> {
    const began = performance.now();
    for (;;) {
      const { status, json } = await this.#attempt("GET", path);
      if (status === 200) return json;
      await this.#pause(began);
    }
  }

  /** Waits until the next attempt, unless the round has failed or the cluster does not heal. */
  async #pause(began: number): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - began > GIVE_UP_MS) throw new Error(`no response within ${GIVE_UP_MS / 1_000} s`);
    await setTimeout(RETRY_MS);
  }

  async #attempt(method: string, path: string, write?: { body: object; key: string; requestId: string }) {
    const { url, token } = this.#options;
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(write && { "idempotency-key": write.key, "x-request-id": write.requestId }),
    };
    const body = write ? JSON.stringify(write.body) : null;
    const either = AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await fetch(url + path, { method, headers, body, signal: either });
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return { status: response.status, json: (isJson ? await response.json() : {}) as Body };
    } catch {
      return { status: 0, json: {} as Body };
    }
  }
}

/** A POST has the same Idempotency-Key in each attempt. The other methods change nothing if they are repeated. */
const METHODS: Record<Write["kind"], string> = {
  created: "POST",
  card_image_added: "POST",
  replaced: "PUT",
  edited: "PATCH",
};

/** Returns how many attempts of all clients were rejected or lost their connection. */
export const countFailures = (writers: readonly Writer[]) =>
  writers.reduce((total, writer) => total + writer.failures, 0);
