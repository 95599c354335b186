import { isDeepStrictEqual } from "node:util";
import type { PolicyEffect, VERSION_KINDS } from "@/lib/access/endpoints/policy-effect";
import type { Origin } from "@/lib/access/identity/access";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import type { Rank } from "@/lib/insurance/fields/limits";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { ChangeKind, PolicyChange } from "@/lib/insurance/patient-write/replication-payload";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, fixed, inList, insertInto, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { Preloaded, type Tx } from "@/lib/platform/db/transaction";
import { rowInsert, rowUpdate } from "@/lib/platform/db/writes";
import { ConflictError, GoneError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { keysOf } from "@/lib/platform/objects";
import { archivedState, requireSeenHolder } from "./rules";
import { POLICY_COLUMNS, type PolicyRow, type RankTakeover } from "./schema";

// Reads and writes of policies are on the hot path, so they are SQL (ADR 0188).

/** A policy being changed: the loaded row and the new one. */
interface Draft {
  before: PolicyRow | null;
  now: PolicyRow;
  kind: VersionKind | null;
}

/** The policy that a write changes, and the version its author saw. */
export interface PolicyTarget {
  policyId: number;
  ifMatch: IfMatch;
}

interface OpenPolicy {
  ledger: PolicyLedger;
  policy: PolicyRow;
}

/**
 * The policies of one locked patient while a write changes them. Changes are collected in memory; `flush` writes each changed
 * policy once, with one version, in an order in which no rank is ever held twice.
 */
export class PolicyLedger {
  readonly #write: PatientWrite;
  readonly #drafts: Map<number, Draft>;

  private constructor(write: PatientWrite, rows: PolicyRow[]) {
    this.#write = write;
    this.#drafts = new Map(rows.map((row) => [row.id, { before: row, now: row, kind: null }]));
  }

  /**
   * Loads the patient's active policies and one policy to change, and compares its version.
   *
   * @throws NotFoundError, GoneError
   * @throws VersionConflictError if `ifMatch` names another version
   */
  static async openFor(write: PatientWrite, { policyId, ifMatch }: PolicyTarget): Promise<OpenPolicy> {
    const ledger = await PolicyLedger.open(write, [policyId]);
    const policy = await ledger.get(policyId);
    requireVersion(ifMatch, policy.version);
    return { ledger, policy };
  }

  /** Loads the patient's active policies, and the policies in `also`. */
  static async open(write: PatientWrite, also: readonly number[] = []): Promise<PolicyLedger> {
    const active = preloaded.take(write.tx);
    const missing = also.filter((id) => !active?.some((policy) => policy.id === id));
    if (active && missing.length === 0) return new PolicyLedger(write, active);
    const named = inList(sql`p.id`, missing);
    const wanted = active ? named : sql`(p.status = 'active' OR ${named})`;
    const rows = await selectPolicies(write.tx, sql`p.patient_id = ${write.patient.id} AND ${wanted}`);
    return new PolicyLedger(write, [...(active ?? []), ...rows]);
  }

  /** Returns a loaded policy. @throws NotFoundError, GoneError */
  async get(policyId: number): Promise<PolicyRow> {
    const draft = this.#drafts.get(policyId);
    return draft?.now ?? throwAbsent(this.#write.tx, this.#write.patient.id, policyId);
  }

  find(policyId: number): PolicyRow | null {
    return this.#drafts.get(policyId)?.now ?? null;
  }

  get active(): PolicyRow[] {
    return [...this.#drafts.values()].map(({ now }) => now).filter(({ status }) => status === "active");
  }

  /** Adds a policy that is not stored yet. */
  add(policy: PolicyRow): void {
    this.#drafts.set(policy.id, { before: null, now: policy, kind: "created" });
  }

  /** Sets fields of a policy. The version has this `kind`, unless the write also archives or restores the policy. */
  change(policyId: number, fields: Partial<PolicyRow>, kind: VersionKind = "updated"): PolicyRow {
    const draft = this.#drafts.get(policyId);
    if (!draft) throw new Error(`policy ${policyId} is not in the ledger`);
    draft.now = { ...draft.now, ...fields };
    if (draft.kind === null || kind === "archived" || kind === "restored") draft.kind = kind;
    return draft.now;
  }

  archive(policyId: number, reason: string): PolicyRow {
    const { now } = this.#write;
    return this.change(policyId, archivedState(now, reason), "archived");
  }

  /**
   * Clears a rank for a policy: archives the policy that holds the rank, or moves it to the rank the author chose.
   *
   * @throws DomainError rank_holder_changed, if the policy at the rank is not the one the author saw
   * @throws ConflictError rank_taken, if a third policy holds the rank it would move to
   * @throws ValidationError if it would move to the same rank
   */
  clearRank(rank: Rank | null, by: number, { seen, to = "archived" }: RankTakeover = {}): void {
    if (rank === null) return;
    if (to === rank) throw new ValidationError({ rank_holder_to: ["Must be different from rank."] });
    // There is at most one: stored policies and those that `flush` writes never share a rank.
    const holder = this.active.find((other) => other.rank === rank && other.id !== by) ?? null;
    requireSeenHolder(holder, seen);
    if (!holder) return;
    if (to === "archived") {
      this.archive(holder.id, "superseded");
      return;
    }
    const third = this.active.find((other) => other.rank === to && other.id !== by);
    if (third) {
      throw rankTaken(third);
    }
    this.change(holder.id, { rank: to });
  }

  setImages(policyId: number, images: readonly PlacedImage[], kind: VersionKind): PolicyRow {
    const sorted = [...images].sort((a, b) => a.image_rank - b.image_rank);
    return this.change(policyId, { card_images: sorted }, kind);
  }

  /** Writes the changes and hands them to replication as one write of this kind. */
  async save(kind: ChangeKind): Promise<void> {
    this.#write.replication = { direction: "policies_to_patients", kind, changes: await this.flush() };
  }

  /**
   * Writes the changes without replicating them.
   *
   * @returns the changes in the form of replication events; empty if nothing changed
   */
  async flush(): Promise<PolicyChange[]> {
    const { tx, now, origin, effects } = this.#write;
    const changed = [...this.#drafts.values()].filter((draft) => isChanged(draft));
    this.#requireOneActivePerRank();
    if (changed.length > 0) this.#write.change = "saved";
    for (const draft of changed) {
      if (draft.before) draft.now = { ...draft.now, version: draft.before.version + 1, modified_date: now };
    }
    // Before `vacateRanks`, which clears the ranks that drafts are compared with.
    effects.push(...changed.map(toEffect));
    await vacateRanks(tx, changed);
    // Archived policies leave their rank first, then active ones change ranks, and restored ones take theirs last.
    for (const { before, now: after } of [...changed].sort((a, b) => writeOrder(a) - writeOrder(b))) {
      if (before) tx.send(UPDATE_POLICY(after));
    }
    await insertPolicies(
      tx,
      changed.filter(({ before }) => before === null).map((draft) => draft.now),
    );
    await writeImages(tx, changed);
    await appendVersions(
      tx,
      changed.map((draft) => ({ policy: draft.now, kind: draft.kind ?? "updated", origin, occurredDate: now })),
    );
    return changed.map(({ before, now: policy }) => {
      const left = policy.status === "archived" && before?.status !== "archived";
      return { kind: before === null ? "create" : left ? "delete" : "update", policy };
    });
  }

  #requireOneActivePerRank(): void {
    const { active } = this;
    for (const policy of active) {
      if (policy.rank === null) continue;
      const other = active.find(({ id, rank }) => id !== policy.id && rank === policy.rank);
      // The one that does not move holds the rank.
      const before = this.#drafts.get(policy.id)?.before;
      if (other) throw rankTaken(before?.status === "active" && before.rank === policy.rank ? policy : other);
    }
  }
}

/** Returns the error for a rank that another active policy has. */
export function rankTaken({ id, rank }: PolicyRow): ConflictError {
  return new ConflictError("rank_taken", `Policy ${id} already has rank ${rank}. Move or archive that policy first.`);
}

function isChanged({ before, now }: Draft): boolean {
  if (before === null) return true;
  return keysOf(now).some((field) => before[field] !== now[field] && !isDeepStrictEqual(before[field], now[field]));
}

/** The fields that a client can set. */
const WRITABLE_FIELDS = [
  "rank",
  "patient_first_name",
  "patient_last_name",
  "patient_dob",
  ...INSURANCE_FIELDS,
] as const satisfies readonly (keyof PolicyRow)[];

function toEffect({ before, now, kind }: Draft): PolicyEffect {
  return {
    kind: kind ?? "updated",
    policy: now.id,
    rank: now.rank,
    card_images: now.card_images.length,
    changed_fields: WRITABLE_FIELDS.filter((field) => (before?.[field] ?? null) !== now[field]),
  };
}

function writeOrder({ before, now }: Draft): number {
  if (now.status === "archived") return 0;
  return before?.status === "active" ? 1 : 2;
}

/** If active policies swap ranks, clears all their ranks first. Nothing outside the transaction sees this. */
async function vacateRanks(tx: Tx, changed: readonly Draft[]): Promise<void> {
  const moving = changed.filter(
    ({ before, now }) => before?.status === "active" && now.status === "active" && before.rank !== now.rank,
  );
  if (moving.length < 2) return;
  tx.send(sql`UPDATE policy SET rank = NULL WHERE id = ANY(${moving.map(({ now }) => now.id)})`);
  for (const draft of moving) if (draft.before) draft.before = { ...draft.before, rank: null };
}

const IMAGES = sql`
  (SELECT coalesce(json_agg(json_build_object('image_rank', i.image_rank, 'image_key', i.image_key, 'sha256', i.sha256,
      'content_type', i.content_type, 'bytes', i.bytes, 'width', i.width, 'height', i.height,
      'created_date', to_char(i.created_date, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY i.image_rank), '[]')
   FROM policy_card_image i WHERE i.policy_id = p.id AND i.to_version IS NULL) AS card_images`;

/** Selects a `PolicyRow`, with the policy table named `p`. */
export const POLICY_SELECTION = sql`${raw(POLICY_COLUMNS.map((column) => `p.${column}`).join(", "))}, ${IMAGES}`;

/** Selects policies with their current card images, in one statement. */
export function selectPolicies(db: Db, condition: Sql): Promise<PolicyRow[]> {
  return db.rows<PolicyRow>(sql`SELECT ${POLICY_SELECTION} FROM policy p WHERE ${condition}`);
}

const preloaded = new Preloaded<PolicyRow[]>();

const ACTIVE_POLICIES = fixed(
  (patientId: number) =>
    sql`SELECT ${POLICY_SELECTION} FROM policy p WHERE p.patient_id = ${patientId} AND p.status = 'active'`,
);

/** Loads the active policies of a patient for the next ledger of the transaction. */
export async function preloadPolicies(tx: Tx, patientId: number): Promise<void> {
  preloaded.put(tx, await tx.rows<PolicyRow>(ACTIVE_POLICIES(patientId)));
}

/** Throws GoneError (410) if the policy was purged, otherwise NotFoundError (404). The caller may see the patient. */
export async function throwAbsent(db: Db, patientId: number, policyId: number): Promise<never> {
  const gone = await db.first(
    kysely
      .selectFrom("policy_tombstone")
      .select("policy_id")
      .where("policy_id", "=", policyId)
      .where("patient_id", "=", patientId),
  );
  throw gone ? new GoneError("policy") : new NotFoundError("policy");
}

const INSERT_POLICY = rowInsert("policy", POLICY_COLUMNS);

/** Inserts policies in one statement. */
export async function insertPolicies(tx: Tx, rows: readonly PolicyRow[]): Promise<void> {
  const [first, ...others] = rows;
  if (first) tx.send(others.length === 0 ? INSERT_POLICY(first) : insertInto("policy", rows, POLICY_COLUMNS));
}

const KEPT = new Set<string>(["id", "patient_id", "practice_id", "patient_insurance", "created_date"]);
const UPDATE_POLICY = rowUpdate(
  "policy",
  POLICY_COLUMNS.filter((column) => !KEPT.has(column)),
);

const IMAGE_COLUMNS = [
  "policy_id",
  "image_rank",
  "image_key",
  "sha256",
  "content_type",
  "bytes",
  "width",
  "height",
  "from_version",
  "created_date",
] as const;

interface Change {
  before: PolicyRow | null;
  now: PolicyRow;
}

/** Ends the images that policies no longer show and adds the new ones, at each policy's new version. */
export async function writeImages(tx: Tx, changes: readonly Change[]): Promise<void> {
  const added: { policy: PolicyRow; image: PlacedImage }[] = [];
  for (const { before, now } of changes) {
    const kept = new Set(now.card_images.map(place));
    const had = new Set((before?.card_images ?? []).map(place));
    const ended = (before?.card_images ?? []).filter((image) => !kept.has(place(image)));
    if (ended.length > 0) {
      tx.send(sql`
        UPDATE policy_card_image SET to_version = ${now.version}
        WHERE policy_id = ${now.id} AND to_version IS NULL
          AND image_rank = ANY(${ended.map(({ image_rank }) => image_rank)})`);
    }
    added.push(...now.card_images.filter((image) => !had.has(place(image))).map((image) => ({ policy: now, image })));
  }
  insertImages(tx, added);
}

function insertImages(tx: Tx, added: readonly { policy: PolicyRow; image: PlacedImage }[]): void {
  if (added.length === 0) return;
  const rows = added.map(({ policy, image }) => ({ policy_id: policy.id, ...image, from_version: policy.version }));
  tx.send(insertInto("policy_card_image", rows, IMAGE_COLUMNS));
}

const place = (image: PlacedImage) => `${image.image_rank} ${image.image_key}`;

/** What happened to a policy with a version. */
export type VersionKind = (typeof VERSION_KINDS)[number];

export interface NewVersion {
  policy: PolicyRow;
  kind: VersionKind;
  origin: Origin;
  occurredDate: string;
}

const INSERT_VERSION = rowInsert("policy_version", [
  "policy_id",
  "version",
  "patient_id",
  "kind",
  "snapshot",
  "actor",
  "source",
  "reason",
  "request_id",
  "occurred_date",
]);

/** Appends versions, each with the whole policy after the change (invariant 3). */
export async function appendVersions(tx: Tx, versions: readonly NewVersion[]): Promise<void> {
  const [first, ...others] = versions.map(({ policy, kind, origin, occurredDate }) => ({
    policy_id: policy.id,
    version: policy.version,
    patient_id: policy.patient_id,
    kind,
    snapshot: policy,
    actor: origin.actor,
    source: origin.source,
    reason: origin.reason,
    request_id: origin.requestId,
    occurred_date: occurredDate,
  }));
  if (first) tx.send(others.length === 0 ? INSERT_VERSION(first) : insertInto("policy_version", [first, ...others]));
}
