// Clients that keep writing to both stores of a cluster, and checks that compare the stored data with the responses they got.
import { expect } from "vitest";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import type { Rank } from "@/lib/insurance/fields/limits";
import { db, sql } from "@/lib/platform/db/sql";
import { groupBy } from "@/lib/platform/objects";
import { seedPatient, seedPhysician, seedPractice, tokenFor } from "./api";
import {
  compareEvents,
  comparePolicies,
  compareVersions,
  countLostAndDoubled,
  findAcceptedAfterDeadline,
  findGaps,
  findRejectedSince,
  findUnaudited,
  type StoredVersion,
} from "./faults/checks";
import { hashStoredImage } from "./faults/image-hash";
import type { Fault } from "./faults/world";
import { Writer } from "./faults/writer";
import { expectStoresAgree } from "./stores";

const TOKEN_SECONDS = 30 * 86_400;

/** The ranks of each client, by patient. The last patient has two clients, which write to it at the same time. */
const PATIENTS: readonly (readonly (readonly Rank[])[])[] = [[[1]], [[2, 1]], [[1, 2, 3]], [[1], [2]]];

/** A separate practice, and clients that write to its patients. */
export interface Load {
  practice: number;
  token: string;
  writers: Writer[];
}

/** Creates a practice with patients and clients. */
export async function prepareLoad(options: { url: string; organization: number; hasDeadline: boolean }): Promise<Load> {
  const { organization: organizationId, hasDeadline } = options;
  const practice = await seedPractice(organizationId, "Northside Urgent Care", true);
  const physician = await seedPhysician(practice);
  const token = await tokenFor({ organizationId, practices: [practice], lifetimeSeconds: TOKEN_SECONDS });
  const url = `${options.url}/api/2.0/`;
  const writers = PATIENTS.map(async (clients) => {
    const patient = await seedPatient(practice, physician);
    const insurances = new Map<Rank, number>();
    return clients.map((ranks) => {
      const otherRanks = clients.flat().filter((rank) => !ranks.includes(rank));
      return new Writer({ url, token, patient, ranks, otherRanks, insurances, hasDeadline });
    });
  });
  return { practice, token, writers: (await Promise.all(writers)).flat() };
}

/** Groups what the clients wrote by patient. */
function groupByPatient({ writers }: Load) {
  return [...groupBy(writers, ({ patient }) => patient)].map(([patient, clients]) => ({
    patient,
    clients,
    writes: clients.flatMap(({ writes }) => writes),
    policies: clients.flatMap(({ policies }) => policies),
  }));
}

/**
 * Lets the clients write while `during` runs.
 *
 * @param signal aborted if the round has failed
 * @param during ends early if `isOver`, because a client has met an unexpected error
 */
export async function underLoad(
  { writers }: Load,
  signal: AbortSignal,
  during: (isOver: () => boolean) => Promise<void>,
): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const running = Promise.all(writers.map((writer) => writer.run(() => isOver, signal))).finally(end);
  const repaired = during(() => isOver).finally(end);
  // If a client fails, what it met must still be repaired.
  for (const result of await Promise.allSettled([running, repaired]))
    if (result.status === "rejected") throw result.reason;
}

/** Counts what is lost and made twice, now. */
export async function countLoad(load: Load) {
  const counts = { lost: 0, doubled: 0 };
  for (const { patient, writes } of groupByPatient(load)) {
    const { lost, doubled } = countLostAndDoubled(writes, await listVersions(patient));
    counts.lost += lost;
    counts.doubled += doubled;
  }
  return counts;
}

/** Expects the stores to have what was acknowledged, no more and no less. Later rounds repeat it. */
export async function expectAcknowledged(load: Load): Promise<void> {
  expect(await countLoad(load)).toEqual({ lost: 0, doubled: 0 });
  for (const { patient, clients, writes, policies } of groupByPatient(load)) {
    const versions = await listVersions(patient);
    expect(findGaps(versions), `versions of patient ${patient}`).toEqual([]);
    expect(compareVersions(writes, versions), `versions of patient ${patient}`).toEqual([]);
    const last = Math.max(...versions.filter(({ store }) => store === "patient").map(({ version }) => version));
    const made = policies.length;
    const counts = { version: last, policies: made, insurances: made, images: made, cards: made };
    expect(await readCounts(patient), `patient ${patient}`).toEqual(counts);
    const hashes = await readHashes(patient);
    const read = (await clients[0]?.readPolicies()) ?? [];
    const stored = read.map((policy) => ({ ...policy, sha256: hashes.get(policy.id) ?? null }));
    expect(comparePolicies(policies, stored), `policies of patient ${patient}`).toEqual([]);
  }
}

/** Expects both stores to agree, and the bytes of all images to be stored. Replication must be complete. */
export async function expectStoresIntact(load: Load): Promise<void> {
  for (const { patient } of groupByPatient(load)) {
    await expectStoresAgree(patient);
    const images = await db.rows<{ image_key: string; sha256: string }>(sql`
      SELECT image_key, sha256 FROM legacy_card WHERE patient_id = ${patient} UNION SELECT image_key, sha256
      FROM policy_card_image i JOIN policy p ON p.id = i.policy_id WHERE p.patient_id = ${patient}`);
    for (const { image_key, sha256 } of images) expect(await hashStoredImage(image_key), image_key).toBe(sha256);
  }
}

/** Expects one event for each write, which the endpoint has accepted since. */
export function expectReported(load: Load, accepted: Iterable<{ patient: number; time: number }>): void {
  const byPatient = groupBy([...accepted], ({ patient }) => patient);
  for (const { patient, writes } of groupByPatient(load)) {
    const times = (byPatient.get(patient) ?? []).map(({ time }) => time);
    expect(compareEvents(writes, times), `events about patient ${patient}`).toEqual([]);
  }
}

/**
 * Expects legacy writes to be rejected while the deadline of the practice has passed, and only then.
 *
 * @param repaired when no server had a wrong date any more
 */
export function expectDeadline({ writers }: Load, deadline: Fault["deadline"], repaired: number): void {
  for (const { patient, writes } of writers) {
    const wrong = deadline === "passes" ? findAcceptedAfterDeadline(writes) : findRejectedSince(writes, repaired);
    expect(wrong, `writes to patient ${patient}`).toEqual([]);
  }
}

/** Expects the audit log of the practice to have each write, and to verify. */
export async function expectAudited({ practice, writers }: Load): Promise<void> {
  const entries = await db.rows<{ request_id: string | null }>(sql`
    SELECT request_id FROM audit_log WHERE practice_id = ${practice} AND kind = 'change'`);
  const writes = writers.flatMap((writer) => writer.writes);
  expect(findUnaudited(writes, new Set(entries.map(({ request_id }) => request_id)))).toEqual([]);
  await expectVerified(practice);
}

/** Expects the chain of the practice in the audit log to be intact. */
export async function expectVerified(practice: number): Promise<void> {
  const { broken, entries } = await verifyAudit([], practice);
  expect(broken).toEqual([]);
  expect(entries).toBeGreaterThan(0);
}

const listVersions = (patient: number) =>
  db.rows<StoredVersion>(sql`
    SELECT 'policy' AS store, policy_id AS id, version, kind, request_id FROM policy_version WHERE patient_id = ${patient}
    UNION ALL SELECT 'patient', patient_id, version, kind, request_id FROM patient_version WHERE patient_id = ${patient}`);

const readCounts = (patient: number) =>
  db.one(sql`
    SELECT version, (SELECT count(*) FROM policy WHERE patient_id = p.id) AS policies,
      (SELECT count(*) FROM patient_insurance WHERE patient_id = p.id) AS insurances,
      (SELECT count(*) FROM policy_card_image JOIN policy ON policy.id = policy_id WHERE patient_id = p.id) AS images,
      (SELECT count(*) FROM legacy_card WHERE patient_id = p.id) AS cards
    FROM patient p WHERE id = ${patient}`);

/** Reads the hash of the card image of each policy. */
async function readHashes(patient: number): Promise<Map<number, string>> {
  const rows = await db.rows<{ policy: number; sha256: string }>(sql`
    SELECT p.id AS policy, sha256 FROM policy_card_image i JOIN policy p ON p.id = i.policy_id
    WHERE patient_id = ${patient} AND to_version IS NULL`);
  return new Map(rows.map(({ policy, sha256 }) => [policy, sha256]));
}
