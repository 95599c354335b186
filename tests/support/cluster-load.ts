// Clients that keep writing to both stores of a cluster, and checks that compare the stored data with the responses they got.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import { db, sql } from "@/lib/platform/db/sql";
import { groupBy } from "@/lib/platform/objects";
import { imageStore } from "@/lib/platform/storage/image-store";
import { seedPatient, seedPhysician, seedPractice, tokenFor } from "./api";
import {
  comparePolicies,
  countLostAndDoubled,
  findGaps,
  findUnaudited,
  findUnreported,
  type StoredVersion,
} from "./faults/checks";
import { Writer } from "./faults/writer";
import { expectStoresAgree } from "./stores";

const TOKEN_SECONDS = 30 * 86_400;

/** A separate practice, and clients that each write to one patient. */
export interface Load {
  practice: number;
  token: string;
  writers: Writer[];
}

/** Creates a practice with patients and clients. */
export async function prepareLoad(options: { url: string; organization: number; writers: number }): Promise<Load> {
  const practice = await seedPractice(options.organization, "Northside Urgent Care", true);
  const physician = await seedPhysician(practice);
  const { organization: organizationId } = options;
  const token = await tokenFor({ organizationId, practices: [practice], lifetimeSeconds: TOKEN_SECONDS });
  const patients = await Promise.all(Array.from({ length: options.writers }, () => seedPatient(practice, physician)));
  const url = `${options.url}/api/2.0/`;
  return { practice, token, writers: patients.map((patient) => new Writer({ url, token, patient })) };
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
export async function countLoad({ writers }: Load) {
  const counts = { lost: 0, doubled: 0 };
  for (const { patient, writes } of writers) {
    const { lost, doubled } = countLostAndDoubled(writes, await listVersions(patient));
    counts.lost += lost;
    counts.doubled += doubled;
  }
  return counts;
}

/** Expects the stores to have what was acknowledged, no more and no less. Later rounds repeat it. */
export async function expectAcknowledged(load: Load): Promise<void> {
  expect(await countLoad(load)).toEqual({ lost: 0, doubled: 0 });
  for (const writer of load.writers) {
    const { patient, policies } = writer;
    const versions = await listVersions(patient);
    expect(findGaps(versions), `versions of patient ${patient}`).toEqual([]);
    const last = Math.max(...versions.filter(({ store }) => store === "patient").map(({ version }) => version));
    const made = policies.length;
    const counts = { version: last, policies: made, insurances: made, images: made, cards: made };
    expect(await readCounts(patient), `patient ${patient}`).toEqual(counts);
    const hashes = await readHashes(patient);
    const read = await writer.readPolicies();
    const stored = read.map((policy) => ({ ...policy, sha256: hashes.get(policy.id) ?? null }));
    expect(comparePolicies(policies, stored), `policies of patient ${patient}`).toEqual([]);
  }
}

/** Expects both stores to agree, and the bytes of all images to be stored. Replication must be complete. */
export async function expectStoresIntact({ writers }: Load): Promise<void> {
  for (const { patient } of writers) {
    await expectStoresAgree(patient);
    const images = await db.rows<{ image_key: string; sha256: string }>(sql`
      SELECT image_key, sha256 FROM legacy_card WHERE patient_id = ${patient} UNION SELECT image_key, sha256
      FROM policy_card_image i JOIN policy p ON p.id = i.policy_id WHERE p.patient_id = ${patient}`);
    for (const { image_key, sha256 } of images) expect(await hashImage(image_key), image_key).toBe(sha256);
  }
}

/** Expects an event for each write, which the endpoint has accepted since. */
export function expectReported({ writers }: Load, accepted: Iterable<{ patient: number; time: number }>): void {
  const byPatient = groupBy([...accepted], ({ patient }) => patient);
  for (const { patient, writes } of writers) {
    const times = (byPatient.get(patient) ?? []).map(({ time }) => time);
    expect(findUnreported(writes, times), `webhooks about patient ${patient}`).toEqual([]);
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

async function hashImage(key: string): Promise<string | null> {
  const bytes = await imageStore().get(key);
  return bytes && createHash("sha256").update(bytes).digest("hex");
}
