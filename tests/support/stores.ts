// Both stores, read directly from the database, and the invariants between them.

import { expect } from "vitest";
import { INSURANCE_FIELDS, pickInsurance } from "@/lib/insurance/fields/fields";
import { listCards, listInsurances } from "@/lib/insurance/patients/store";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { selectPolicies } from "@/lib/insurance/policies/store";
import { db, sql } from "@/lib/platform/db/sql";

export async function policiesOf(patientId: number): Promise<PolicyRow[]> {
  return (await selectPolicies(db, sql`p.patient_id = ${patientId}`)).sort((a, b) => a.id - b.id);
}

/** Returns active policies as `rank → member_id`. */
export async function activeByRank(patientId: number): Promise<Record<string, string | null>> {
  const active = (await policiesOf(patientId)).filter(({ status }) => status === "active");
  return Object.fromEntries(active.map(({ rank, member_id }) => [String(rank), member_id]));
}

/** Expects invariants 1 to 3 for one patient whose replication is complete. */
export async function expectStoresAgree(patientId: number): Promise<void> {
  const open = await db.rows(sql`SELECT id, status, last_error FROM replication_event
    WHERE patient_id = ${patientId} AND status IN ('pending', 'failed')`);
  expect(open, "no replication event is open").toEqual([]);
  const policies = await policiesOf(patientId);
  const insurances = await listInsurances(db, [patientId]);
  const cards = await listCards(patientId);

  const ranks = policies.flatMap((p) => (p.status === "active" && p.rank ? [p.rank] : []));
  expect(new Set(ranks).size, "one active policy per rank").toBe(ranks.length);

  const current = policies.filter(({ status, rank }) => status === "active" && rank !== null);
  const form = (row: Record<string, unknown>) =>
    Object.fromEntries(["rank", ...INSURANCE_FIELDS].map((field) => [field, row[field]]));
  const left = current.map((p) => ({ id: p.patient_insurance, policy: p.id, ...form({ ...p }) }));
  const right = insurances
    .filter(({ deleted_date }) => deleted_date === null)
    .map((i) => ({ id: i.id, policy: i.policy_id, ...form({ ...i }) }));
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  expect(right.sort(byId), "current insurances are the active ranked policies").toEqual(left.sort(byId));
  for (const past of insurances.filter(({ deleted_date }) => deleted_date !== null)) {
    const policy = policies.find(({ id }) => id === past.policy_id);
    expect(policy && pickInsurance(policy), `policy of past insurance ${past.id}`).toEqual(pickInsurance(past));
  }

  const images = current.flatMap((p) => p.card_images.map((i) => `${p.rank} ${i.image_rank} ${i.image_key}`)).sort();
  const held = new Set(current.map(({ rank }) => rank));
  const shown = cards.filter(({ rank }) => held.has(rank as 1)).map((c) => `${c.rank} ${c.image_rank} ${c.image_key}`);
  expect(shown.sort(), "cards by rank are the images of that rank's policy").toEqual(images);

  const used = await db.rows<{ image_key: string }>(sql`
    SELECT image_key FROM policy_card_image i JOIN policy p ON p.id = i.policy_id WHERE p.patient_id = ${patientId}`);
  const waiting = cards.filter(({ rank }) => !held.has(rank as 1)).map(({ image_key }) => image_key);
  expect(
    used.filter(({ image_key }) => waiting.includes(image_key)),
    "a free rank shows no policy's card",
  ).toEqual([]);

  const keys = policies.flatMap((p) => p.card_images.map(({ image_key }) => image_key));
  expect(new Set(keys).size, "no image is on two policies").toBe(keys.length);

  const patient = await db.first<{ first_name: string; last_name: string; dob: string }>(
    sql`SELECT first_name, last_name, dob FROM patient WHERE id = ${patientId}`,
  );
  for (const policy of policies.filter(({ status }) => status === "active")) {
    expect(
      [policy.patient_first_name, policy.patient_last_name, policy.patient_dob],
      "policies name their patient",
    ).toEqual([patient?.first_name, patient?.last_name, patient?.dob]);
  }
  await expectHistoryReplays(policies);
}

/** Expects versions 1, 2, 3 … without a gap, each with actor, time and source; the last one is the present state. */
export async function expectHistoryReplays(policies: readonly PolicyRow[]): Promise<void> {
  for (const policy of policies) {
    const versions = await db.rows<{
      version: number;
      snapshot: PolicyRow;
      actor: object;
      source: string;
      at: string;
    }>(sql`
      SELECT version, snapshot, actor, source, occurred_date AS at FROM policy_version
      WHERE policy_id = ${policy.id} ORDER BY version`);
    expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
    expect(versions.at(-1)?.snapshot, `policy ${policy.id} replays`).toEqual(policy);
    for (const { actor, source, at } of versions) expect([actor, source, at].every(Boolean)).toBe(true);
    for (const { version, snapshot } of versions) {
      const then = await db.rows<{ image_rank: number; image_key: string }>(sql`
        SELECT image_rank, image_key FROM policy_card_image WHERE policy_id = ${policy.id} AND from_version <= ${version}
          AND (to_version IS NULL OR to_version > ${version}) ORDER BY image_rank`);
      expect(then, `images of version ${version}`).toEqual(
        snapshot.card_images.map(({ image_rank, image_key }) => ({ image_rank, image_key })),
      );
    }
  }
}
