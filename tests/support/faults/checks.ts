// Compares the responses that clients got with the stored data. Nothing here reads the stores: tests/faults/fault-checks.test.ts shows that each check
// finds what it is for.
import { isDeepStrictEqual } from "node:util";
import type { Rank } from "@/lib/insurance/fields/limits";
import { groupBy } from "@/lib/platform/objects";

/** A write, which the client repeats until it is acknowledged. */
export interface Write {
  kind: "created" | "card_image_added" | "replaced" | "edited";
  /** The request IDs of all attempts. */
  attempts: string[];
  /** The times of the first attempt and of the response, in milliseconds by the client's clock. */
  began: number;
  acknowledged: number | null;
  /** The deadline of the practice had passed, so it must not be made. */
  isRejected: boolean;
  /** The policy that is written: null until the client knows the ID of a new one. */
  policy: number | null;
  /** The policy whose rank a new one takes, or null. */
  superseded: number | null;
}

/** A policy as the last acknowledged writes left it. */
export interface ExpectedPolicy {
  id: number;
  rank: Rank;
  member_id: string | null;
  group_id: string | null;
  plan: string | null;
  /** The hash of its card image. */
  sha256: string | null;
}

/** A version of a policy or patient. */
export interface StoredVersion {
  store: "policy" | "patient";
  id: number;
  version: number;
  kind: string;
  request_id: string | null;
}

/** Counts the acknowledged writes that left no version in one of the stores, and those that left more than one. */
export function countLostAndDoubled(writes: readonly Write[], versions: readonly StoredVersion[]) {
  const byRequest = groupBy(versions, ({ request_id }) => request_id);
  const counts = { lost: 0, doubled: 0 };
  for (const { kind, attempts, isRejected } of writes) {
    const made = attempts.flatMap((id) => byRequest.get(id) ?? []);
    const policyKind = kind === "replaced" || kind === "edited" ? "updated" : kind;
    const times = [
      made.filter((one) => one.store === "policy" && one.kind === policyKind).length,
      made.filter(({ store }) => store === "patient").length,
    ];
    if (!isRejected && times.includes(0)) counts.lost += 1;
    if (Math.max(...times) > (isRejected ? 0 : 1)) counts.doubled += 1;
  }
  return counts;
}

const nameVersion = ({ store, id, kind }: StoredVersion) => (store === "policy" ? `policy ${id} ${kind}` : "patient");

/** Returns the versions that a write leaves: one of its policy and one of the patient. A new policy archives the one that had its rank. */
function expectVersions({ kind, policy, superseded, isRejected }: Write): string[] {
  if (isRejected) return [];
  const archived = superseded === null ? [] : [`policy ${superseded} archived`];
  const policyKind = kind === "replaced" || kind === "edited" ? "updated" : kind;
  return ["patient", `policy ${policy} ${policyKind}`, ...archived].sort();
}

/** Returns how the versions of a patient and its policies differ from those that the acknowledged writes leave. */
export function compareVersions(writes: readonly Write[], versions: readonly StoredVersion[]): string[] {
  const byAttempt = new Map(writes.flatMap((write) => write.attempts.map((id) => [id, write] as const)));
  const byWrite = groupBy(versions, ({ request_id }) =>
    request_id === null ? null : (byAttempt.get(request_id) ?? null),
  );
  const unknown = (byWrite.get(null) ?? []).map(
    (version) => `${nameVersion(version)}: no client sent the request ${version.request_id}`,
  );
  const different = writes.flatMap((write) => {
    const found = (byWrite.get(write) ?? []).map(nameVersion).sort();
    const expected = expectVersions(write);
    if (isDeepStrictEqual(found, expected)) return [];
    return [`${write.kind} (${write.attempts.join(", ")}): [${found.join(", ")}] instead of [${expected.join(", ")}]`];
  });
  return [...unknown, ...different];
}

/**
 * Returns how stored policies differ from those that the acknowledged writes left. The last one of each rank is active, and the others are
 * archived, so no two active policies have the same rank.
 */
export function comparePolicies(
  expected: readonly ExpectedPolicy[],
  stored: readonly (ExpectedPolicy & { status: string })[],
): string[] {
  const byId = new Map(stored.map((policy) => [policy.id, policy]));
  const lastByRank = new Map(expected.map(({ rank, id }) => [rank, id]));
  const problems = expected.flatMap((policy) => {
    const found = byId.get(policy.id);
    if (!found) return [`policy ${policy.id} is missing`];
    const wanted = { ...policy, status: lastByRank.get(policy.rank) === policy.id ? "active" : "archived" };
    const fields = Object.keys(wanted) as (keyof typeof wanted)[];
    return fields
      .filter((field) => found[field] !== wanted[field])
      .map((field) => `policy ${policy.id}: ${field} is ${found[field]}, ${wanted[field]} was acknowledged`);
  });
  const known = new Set(expected.map(({ id }) => id));
  const others = stored.filter(({ id }) => !known.has(id));
  return [...problems, ...others.map(({ id }) => `policy ${id} was acknowledged to no client`)];
}

/** Returns which versions are missing: a policy begins with version 1. A seeded patient has no version 1. */
export function findGaps(versions: readonly StoredVersion[]): string[] {
  return [...groupBy(versions, ({ store, id }) => `${store} ${id}`)].flatMap(([record, own]) => {
    const first = own[0]?.store === "policy" ? 1 : 2;
    const numbers = own.map(({ version }) => version).sort((one, other) => one - other);
    const at = numbers.findIndex((number, index) => number !== first + index);
    return at < 0 ? [] : [`${record}: version ${numbers[at]} follows ${at === 0 ? "none" : numbers[at - 1]}`];
  });
}

/**
 * Returns how the events about a patient differ from the writes: each write publishes one event, and replication publishes none. The endpoint
 * got an event after the first attempt of its write, so since then it got at least as many as there were writes from then on.
 *
 * @param times when the endpoint first accepted each event, by the same clock. Attempts to send an event again have the same ID
 */
export function compareEvents(writes: readonly Write[], times: readonly number[]): string[] {
  const made = writes.filter(({ isRejected }) => !isRejected).sort((one, other) => one.began - other.began);
  const missing = made.flatMap(({ began, kind }, at) => {
    const [least, received] = [made.length - at, times.filter((time) => time >= began).length];
    return received < least ? [`${least} writes since ${kind} ${at + 1}, ${received} events`] : [];
  });
  return times.length > made.length ? [...missing, `${made.length} writes, ${times.length} events`] : missing;
}

/** Returns the legacy writes of a client that were accepted after one had been rejected because of the deadline. */
export function findAcceptedAfterDeadline(writes: readonly Write[]): string[] {
  const edits = writes.filter(({ kind, acknowledged }) => kind === "edited" && acknowledged !== null);
  const first = edits.findIndex(({ isRejected }) => isRejected);
  if (first < 0) return ["no legacy write was rejected"];
  const accepted = edits.slice(first).filter(({ isRejected }) => !isRejected);
  return accepted.map(({ attempts }) => `edited (${attempts.join(", ")}) was accepted after the deadline`);
}

/** Returns the legacy writes that were rejected because of a deadline, but began when no server had a wrong date any more. */
export function findRejectedSince(writes: readonly Write[], repaired: number): string[] {
  const rejected = writes.filter(({ isRejected, began }) => isRejected && began > repaired);
  return rejected.map(({ kind, attempts }) => `${kind} (${attempts.join(", ")}) was rejected before the deadline`);
}

/** What is known about each patient of an export, a line for each fact. Keyed by the ID in the export. */
export type Facts = ReadonlyMap<string, readonly string[]>;

/** Returns how the facts about converted patients differ from those in the export. */
export function compareFacts(exported: Facts, converted: Facts): string[] {
  return [...new Set([...exported.keys(), ...converted.keys()])].flatMap((patient) => {
    const [expected = [], found = []] = [exported, converted].map((facts) => [...(facts.get(patient) ?? [])].sort());
    if (isDeepStrictEqual(found, expected)) return [];
    const missing = expected.filter((fact) => !found.includes(fact));
    const added = found.filter((fact) => !expected.includes(fact));
    const counts = `${found.length} facts instead of ${expected.length}`;
    return [`patient ${patient}: ${counts}, without [${missing.join("; ")}], but with [${added.join("; ")}]`];
  });
}

/** Returns the writes without an entry in the audit log. */
export function findUnaudited(writes: readonly Write[], requestIds: ReadonlySet<string | null>): string[] {
  const made = writes.filter(({ isRejected }) => !isRejected);
  const unaudited = made.filter(({ attempts }) => !attempts.some((id) => requestIds.has(id)));
  return unaudited.map(({ kind, attempts }) => `${kind} (${attempts.join(", ")}) is not in the audit log`);
}

/** Returns the longest time between two responses to any client, in milliseconds. */
export function longestGap(writes: readonly Write[]): number {
  const times = writes.flatMap(({ acknowledged }) => acknowledged ?? []).sort((one, other) => one - other);
  return Math.max(0, ...times.slice(1).map((time, at) => time - (times[at] as number)));
}
