import { isDeepStrictEqual } from "node:util";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import type { Rank } from "@/lib/insurance/fields/ranks";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { ChangeKind, PolicyChange } from "@/lib/insurance/patient-write/replication-payload";
import { type Db, inList, join, sql } from "@/lib/platform/db/sql";
import { ConflictError, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { keysOf } from "@/lib/platform/objects";
import { writeImages } from "./image-rows";
import { selectPolicies, throwAbsent } from "./queries";
import { insertPolicies, updatePolicyRow } from "./rows";
import { archivedState, requireSeenHolder } from "./rules";
import type { PolicyRow, RankTakeover } from "./schema";
import { appendVersions, type VersionKind } from "./versions";

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
    const condition = sql`p.patient_id = ${write.patient.id}
      AND (p.status = 'active' OR ${inList(sql`p.id`, also)})`;
    return new PolicyLedger(write, await selectPolicies(write.tx, condition));
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
   * Clears a rank for a policy: archives the policy that holds it (design §5), or moves it to the rank the author chose.
   *
   * @throws DomainError rank_holder_changed, if another policy holds the rank than the author saw
   * @throws ConflictError rank_taken, if a third policy holds the rank it would move to
   * @throws ValidationError if it would move to the rank it leaves
   */
  clearRank(rank: Rank | null, by: number, { seen, to = "archived" }: RankTakeover = {}): void {
    if (rank === null) return;
    if (to === rank) throw new ValidationError({ rank_holder_to: ["Must not be the rank that is taken."] });
    // There is at most one: stored policies and those that `flush` writes never share a rank.
    const holder = this.active.find((other) => other.rank === rank && other.id !== by) ?? null;
    requireSeenHolder(holder, seen);
    if (!holder) return;
    if (to === "archived") {
      this.archive(holder.id, "superseded");
      return;
    }
    const third = this.active.find((other) => other.rank === to && other.id !== by);
    if (third) throw new ConflictError("rank_taken", `Rank ${to} is held by policy ${third.id}.`);
    this.change(holder.id, { rank: to });
  }

  setImages(policyId: number, images: readonly PlacedImage[], kind: VersionKind): PolicyRow {
    const sorted = [...images].sort((a, b) => a.image_rank - b.image_rank);
    return this.change(policyId, { card_images: sorted }, kind);
  }

  /** Writes what changed and hands it to replication as one write of this kind. */
  async save(kind: ChangeKind): Promise<void> {
    this.#write.replication = { direction: "policies_to_patients", kind, changes: await this.flush() };
  }

  /**
   * Writes what changed without replicating it.
   *
   * @returns what changed, as replication carries it; empty if nothing did
   */
  async flush(): Promise<PolicyChange[]> {
    const { tx, now, origin, effects } = this.#write;
    const changed = [...this.#drafts.values()].filter((draft) => isChanged(draft));
    this.#requireOneActivePerRank();
    if (changed.length > 0) this.#write.change = "saved";
    for (const draft of changed) {
      if (draft.before) draft.now = { ...draft.now, version: draft.before.version + 1, modified_date: now };
    }
    await vacateRanks(tx, changed);
    // Archived policies leave their rank first, then active ones change ranks, and restored ones take theirs last.
    for (const { before, now: after } of [...changed].sort((a, b) => writeOrder(a) - writeOrder(b))) {
      if (before) await updatePolicyRow(tx, before, after);
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
    for (const draft of changed) {
      effects.push({
        kind: draft.kind ?? "updated",
        policy: draft.now.id,
        rank: draft.now.rank,
        card_images: draft.now.card_images.length,
        changed_fields: INSURANCE_FIELDS.filter((field) => (draft.before?.[field] ?? null) !== draft.now[field]),
      });
    }
    return changed.map(({ before, now: policy }) => {
      const left = policy.status === "archived" && before?.status !== "archived";
      return { kind: before === null ? "create" : left ? "delete" : "update", policy };
    });
  }

  #requireOneActivePerRank(): void {
    const ranks = this.active.flatMap(({ rank }) => (rank === null ? [] : [rank]));
    if (new Set(ranks).size !== ranks.length) {
      throw new ConflictError("rank_taken", "Two active policies of a patient can't have the same rank.");
    }
  }
}

function isChanged({ before, now }: Draft): boolean {
  if (before === null) return true;
  return keysOf(now).some((field) => !isDeepStrictEqual(before[field], now[field]));
}

function writeOrder({ before, now }: Draft): number {
  if (now.status === "archived") return 0;
  return before?.status === "active" ? 1 : 2;
}

/** If active policies swap ranks, clears all their ranks first. Nothing outside the transaction sees this. */
async function vacateRanks(tx: Db, changed: readonly Draft[]): Promise<void> {
  const moving = changed.filter(
    ({ before, now }) => before?.status === "active" && now.status === "active" && before.rank !== now.rank,
  );
  if (moving.length < 2) return;
  await tx.run(sql`UPDATE policy SET rank = NULL WHERE id IN (${join(moving.map(({ now }) => now.id))})`);
  for (const draft of moving) if (draft.before) draft.before = { ...draft.before, rank: null };
}
