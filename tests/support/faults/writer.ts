// A client that keeps writing to both stores of a cluster, and a record of what was acknowledged.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { type Rank, toRankWord } from "@/lib/insurance/fields/limits";
import { MARIA } from "../api";
import { imageContent } from "../images";
import type { ExpectedPolicy, Write } from "./checks";
import { sha256 } from "./image-hash";

/** Between two writes, so that the other tests get a share of the machine. */
const PAUSE_MS = 20;
/** The same for clients that share a patient, so that they write to it about as often as a single client: its webhooks are sent one at a time. */
const SHARED_PAUSE_MS = 100;
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
  /** The ranks of the client, which no other client writes to. Each new policy has the next one. */
  ranks: readonly Rank[];
  /** The ranks of the patient that other clients write to. A client that shares a patient has a single rank. */
  otherRanks: readonly Rank[];
  /** The current insurances of the patient by rank, which all of its clients update. */
  insurances: Map<Rank, number>;
  /** The deadline of the practice may pass, after which legacy writes are rejected. */
  hasDeadline: boolean;
}

/** Responses after which a client tries again: the server is not available, or is still busy with the same request. */
const UNAVAILABLE = [0, 502, 503, 504];
const REPEATED = [...UNAVAILABLE, 409];

/** Why a server rejects a legacy write with the ID of an insurance that is no longer current. */
const OUTDATED = "Not a current insurance of this patient.";

/** The body of a response, or an empty object. */
// biome-ignore lint/suspicious/noExplicitAny: the client reads responses of several operations.
type Body = any;

/** A client that writes to one patient, each write until it is acknowledged, and reads what it wrote. */
export class Writer {
  readonly writes: Write[] = [];
  /** What the acknowledged writes have left, in the order of creation. */
  readonly policies: ExpectedPolicy[] = [];
  /** How many attempts to write or to read were rejected or lost their connection. */
  failures = 0;
  readonly patient: number;
  readonly #options: Options;
  /** Other clients write to the patient, too. */
  readonly #isShared: boolean;
  #signal = new AbortController().signal;

  constructor(options: Options) {
    this.#options = options;
    this.patient = options.patient;
    this.#isShared = options.otherRanks.length > 0;
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
    const { ranks, insurances } = this.#options;
    const lastByRank = new Map<Rank, number>();
    for (let round = 0; !isOver(); round++) {
      const rank = ranks[round % ranks.length] as Rank;
      const name = `${rank}-${round}`;
      const member_id = `M${name}`;
      const superseded = lastByRank.get(rank) ?? null;
      const creation = newWrite("created", null, superseded);
      const created = await this.#send(creation, policies, () => ({ ...MARIA, rank, member_id }));
      const { id, patient_insurance } = created ?? (await this.#find(policies, member_id));
      creation.policy = id;
      lastByRank.set(rank, id);
      insurances.set(rank, patient_insurance);
      const policy: ExpectedPolicy = { id, rank, member_id, group_id: null, plan: null, sha256: null };
      this.policies.push(policy);
      const image = await imageContent(round);
      await this.#send(newWrite("card_image_added", id), `${policies}/${id}/card-images`, () => ({ image }));
      policy.sha256 = sha256(Buffer.from(image.base64_content, "base64"));
      const group_id = `G${name}`;
      await this.#send(newWrite("replaced", id), `${policies}/${id}`, () => ({ ...MARIA, rank, group_id }));
      policy.group_id = group_id;
      const edit = { plan: `P${name}`, member_id: `L${this.patient}-${name}` };
      await this.#untilOthersKnown();
      const body = () => ({ insurances: this.#listInsurances(rank, edit) });
      if (!(await this.#send(newWrite("edited", id), `patients/${this.patient}`, body))) continue;
      Object.assign(policy, edit);
      await this.#expectListed(edit.member_id);
    }
  }

  /**
   * Lists all current insurances of the patient for a legacy write, which changes one and terminates those it leaves out. If another client has
   * replaced one meanwhile, the write is rejected and changes nothing.
   */
  #listInsurances(changed: Rank, edit: object): object[] {
    return [...this.#options.insurances].map(([rank, id]) => ({
      id,
      rank: toRankWord(rank),
      ...(rank === changed && edit),
    }));
  }

  /** Waits until each of the other clients has created its first policy, which a legacy write would terminate without knowing it. */
  async #untilOthersKnown(): Promise<void> {
    const { otherRanks, insurances } = this.#options;
    for (const began = performance.now(); !otherRanks.every((rank) => insurances.has(rank)); ) await this.#pause(began);
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
    const { results } = await this.#read(`patients/?member_id=${member_id}`);
    expect(
      results.map(({ id }: { id: number }) => id),
      `patients with ${member_id}`,
    ).toEqual([this.patient]);
  }

  /**
   * Sends a write until it is acknowledged. Returns the record, or null if the write was made but its response was lost, or the deadline has passed.
   *
   * @param body creates the body of each attempt
   */
  async #send(write: Write, path: string, body: () => object): Promise<Body | null> {
    const { kind } = write;
    const key = randomUUID();
    await setTimeout(this.#isShared ? SHARED_PAUSE_MS : PAUSE_MS);
    this.writes.push(write);
    for (;;) {
      const requestId = randomUUID();
      write.attempts.push(requestId);
      const { status, json } = await this.#attempt(METHODS[kind], path, { body: body(), key, requestId });
      write.isRejected = this.#mayReject(kind) && json.code === "legacy_insurances_deprecated";
      const isLost = json.code === "idempotency_answer_lost";
      if ((status >= 200 && status < 300) || isLost || write.isRejected) {
        write.acknowledged = performance.now();
        return isLost || write.isRejected ? null : json;
      }
      if (!this.#isOutdated(kind, status, json)) {
        this.failures += 1;
        expect(REPEATED, `${kind}: ${JSON.stringify(json)}`).toContain(status);
      }
      await this.#pause(write.began);
    }
  }

  /** Returns whether the deadline of the practice may be a reason to reject a write. */
  #mayReject(kind: Write["kind"]): boolean {
    return this.#options.hasDeadline && kind === "edited";
  }

  /** Returns whether a legacy write was rejected because another client has replaced one of the insurances. */
  #isOutdated(kind: Write["kind"], status: number, json: Body): boolean {
    return this.#isShared && kind === "edited" && status === 400 && JSON.stringify(json).includes(OUTDATED);
  }

  /** Finds the active policy, as a client does that has lost the response to its creation. */
  async #find(path: string, member_id: string): Promise<Body> {
    const { results } = await this.#read(path);
    const found = results.find((policy: { member_id: string }) => policy.member_id === member_id);
    return found ?? expect.unreachable(`no policy ${member_id}`);
  }

  /** Reads until there is a response. */
  async #read(path: string): Promise<Body> {
    const began = performance.now();
    for (;;) {
      const { status, json } = await this.#attempt("GET", path);
      if (status === 200) return json;
      this.failures += 1;
      expect(UNAVAILABLE, `GET ${path}: ${JSON.stringify(json)}`).toContain(status);
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

function newWrite(kind: Write["kind"], policy: number | null, superseded: number | null = null): Write {
  const began = performance.now();
  return { kind, attempts: [], began, acknowledged: null, isRejected: false, policy, superseded };
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
