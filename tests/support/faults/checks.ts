// Compares the responses that clients got with the stored data. Nothing here reads the stores: tests/faults/fault-checks.test.ts shows that each check
// finds what it is for.
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
}

/** A policy as the last acknowledged writes left it. */
export interface ExpectedPolicy {
  id: number;
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

/** Returns how stored policies differ from those that the acknowledged writes left. All but the last one are archived. */
export function comparePolicies(
  expected: readonly ExpectedPolicy[],
  stored: readonly (ExpectedPolicy & { status: string })[],
): string[] {
  const byId = new Map(stored.map((policy) => [policy.id, policy]));
  const problems = expected.flatMap((policy, at) => {
    const found = byId.get(policy.id);
    if (!found) return [`policy ${policy.id} is missing`];
    const wanted = { ...policy, status: at === expected.length - 1 ? "active" : "archived" };
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
 * Returns after which writes to a patient the endpoint got too few webhooks. Each write publishes its own event, so it got at least as many
 * since the first attempt of a write as there were writes from then on.
 *
 * @param times when the endpoint accepted each event about the patient, by the same clock
 */
export function findUnreported(writes: readonly Write[], times: readonly number[]): string[] {
  const made = writes.filter(({ isRejected }) => !isRejected);
  return made.flatMap(({ began, kind }, at) => {
    const [least, received] = [made.length - at, times.filter((time) => time >= began).length];
    return received < least ? [`${least} writes since ${kind} ${at + 1}, ${received} webhooks`] : [];
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
