import type { Access } from "@/lib/access/identity/access";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { RANKS } from "@/lib/insurance/fields/limits";
import type { LockedPatient, PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { chunks, type Db, db, empty, fixed, inList, insertInto, raw, sql } from "@/lib/platform/db/sql";
import { Preloaded, type Tx } from "@/lib/platform/db/transaction";
import { rowInsert, rowUpdate } from "@/lib/platform/db/writes";
import { NotFoundError } from "@/lib/platform/errors";
import { keysOf } from "@/lib/platform/objects";
import { INSURANCE_COLUMNS, type InsuranceRow, type LegacyCardRow } from "./schema";

// Reads and writes of patients and insurances are on the hot path, so they are SQL (ADR 0188).

const LOCK = sql`SELECT id, practice_id, first_name, last_name, dob, version FROM patient`;

const LOCK_ONE = fixed(
  (patientId: number, practices: readonly number[]) => sql`
    ${LOCK} WHERE id = ${patientId} AND deleted_date IS NULL AND practice_id = ANY(${practices}) FOR NO KEY UPDATE`,
);

/**
 * Locks a patient for the rest of the transaction. Every write of insurances or policies starts with this lock.
 *
 * @throws NotFoundError if the patient does not exist or belongs to another practice
 */
export async function lockPatient(tx: Db, access: Access, patientId: number): Promise<LockedPatient> {
  const patient = await tx.first<LockedPatient>(LOCK_ONE(patientId, access.practices));
  if (!patient) throw new NotFoundError("patient");
  return patient;
}

/** Locks a patient for replication, which applies accepted changes even if the patient has been deleted since. */
export async function lockPatientForReplication(tx: Db, patientId: number): Promise<LockedPatient | null> {
  return tx.first<LockedPatient>(sql`${LOCK} WHERE id = ${patientId} FOR NO KEY UPDATE`);
}

/** Locks these patients for the rest of the transaction, in the order of their IDs. Returns the versions of those that exist. */
export async function lockPatients(tx: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx.rows<Row<"patient", "id" | "version">>(
    sql`SELECT id, version FROM patient WHERE id = ANY(${[...ids]}::bigint[]) ORDER BY id FOR UPDATE`,
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** What a write did to insurances and cards, as recorded in the patient's version. The policies' versions have the changed fields. */
export interface InsuranceNotes {
  insurances: InsuranceNote[];
  /** The ranks whose cards changed. */
  card_ranks: number[];
}

interface InsuranceNote {
  id: number;
  policy: number;
  rank: number;
  kind: "created" | "updated" | "ended" | "removed";
}

/**
 * The legacy insurances and cards of one locked patient while a write changes them. Changes are collected in memory; `flush`
 * writes them in an order in which no rank is ever held twice.
 */
export class InsuranceLedger {
  readonly #write: PatientWrite;
  readonly #before: Map<number, InsuranceRow>;
  readonly #after: Map<number, InsuranceRow>;
  readonly #cardsBefore: Map<number, PlacedImage[]>;
  readonly #cards: Map<number, PlacedImage[]>;

  private constructor(write: PatientWrite, rows: InsuranceRow[], cards: Map<number, PlacedImage[]>) {
    this.#write = write;
    this.#before = new Map(rows.map((row) => [row.id, row]));
    this.#after = new Map(this.#before);
    this.#cardsBefore = cards;
    this.#cards = new Map(cards);
  }

  /** Loads the patient's current insurances and cards, and the insurances in `also`. */
  static async open(write: PatientWrite, also: readonly number[] = []): Promise<InsuranceLedger> {
    const { tx, patient } = write;
    const current = preloaded.take(tx) ?? (await loadCurrent(tx, patient.id));
    const missing = also.filter((id) => !current.rows.some((row) => row.id === id));
    const rows = missing.length > 0 ? await listInsurances(tx, [patient.id], sql`AND ${inList(sql`id`, missing)}`) : [];
    const cards = new Map<number, PlacedImage[]>(RANKS.map((rank) => [rank, []]));
    for (const { rank, ...image } of current.cards) cards.get(rank)?.push(image);
    return new InsuranceLedger(write, [...current.rows, ...rows], cards);
  }

  /** The current insurances, by rank. */
  get current(): InsuranceRow[] {
    return [...this.#after.values()].filter((row) => row.deleted_date === null).sort((a, b) => a.rank - b.rank);
  }

  find(id: number): InsuranceRow | null {
    return this.#after.get(id) ?? null;
  }

  put(row: InsuranceRow): void {
    this.#after.set(row.id, row);
  }

  end(id: number): InsuranceRow {
    const row = this.#after.get(id);
    if (!row) throw new Error(`insurance ${id} is not in the ledger`);
    const ended = { ...row, deleted_date: this.#write.now };
    this.#after.set(id, ended);
    return ended;
  }

  remove(id: number): void {
    this.#after.delete(id);
  }

  cards(rank: number): PlacedImage[] {
    return this.#cards.get(rank) ?? [];
  }

  setCards(rank: number, images: readonly PlacedImage[]): void {
    this.#cards.set(
      rank,
      [...images].sort((a, b) => a.image_rank - b.image_rank),
    );
  }

  /**
   * Moves the cards with their insurances:
   * - The cards of an insurance that moved to another rank move with it.
   * - A new insurance takes over the cards at its rank, unless the previous insurance moved and kept them.
   * - An insurance without cards takes the cards of a rank that no insurance held.
   * - The cards of an insurance that ended without a successor end too.
   */
  moveCardsWithInsurances(): void {
    const before = [...this.#before.values()].filter((row) => row.deleted_date === null);
    const moved = new Map<number, PlacedImage[]>();
    for (const rank of RANKS) {
      const holder = this.current.find((row) => row.rank === rank);
      const previous = before.find((row) => row.rank === rank);
      const held = holder && before.find((row) => row.id === holder.id);
      const previousCards = held && (this.#cardsBefore.get(held.rank) ?? []);
      if (previousCards && (previousCards.length > 0 || previous)) moved.set(rank, previousCards);
      else if (holder && !held && previous && this.find(previous.id)?.deleted_date === null) moved.set(rank, []);
      else if (!holder && previous) moved.set(rank, []);
    }
    for (const [rank, images] of moved) this.setCards(rank, images);
  }

  /** Writes the changes with one version of the patient. Returns whether there were changes. */
  async flush(): Promise<boolean> {
    const { tx, now } = this.#write;
    const removed = [...this.#before.values()].filter(({ id }) => !this.#after.has(id));
    const changed = [...this.#after.values()].filter((row) => isChanged(this.#before.get(row.id), row));
    const swapping = changed.filter((row) => {
      const before = this.#before.get(row.id);
      return before?.deleted_date === null && (before.rank !== row.rank || row.deleted_date !== null);
    });
    await removeInsurances(
      tx,
      removed.map(({ id }) => id),
    );
    if (swapping.length < changed.length || changed.length > 1)
      await vacateRanks(
        tx,
        swapping.map(({ id }) => id),
        now,
      );
    const [only, ...others] = changed;
    if (only && others.length === 0)
      tx.send(this.#before.has(only.id) ? UPDATE_INSURANCE(only) : UPSERT_INSURANCE(only));
    else await upsertInsurances(tx, changed);
    const ranks = RANKS.filter((rank) => differ(this.#cardsBefore.get(rank), this.#cards.get(rank)));
    for (const rank of ranks) {
      await writeCards(this.#write, rank, this.#cardsBefore.get(rank) ?? [], this.cards(rank));
    }
    if (changed.length + removed.length + ranks.length === 0) return false;
    const insurances = [...changed.map((row) => this.#note(row)), ...removed.map(noteRemoved)];
    const kind = insurances.length > 0 ? "insurances_changed" : "cards_changed";
    const notes: InsuranceNotes = { insurances, card_ranks: ranks };
    await appendPatientVersion(this.#write, kind, notes);
    return true;
  }

  #note(row: InsuranceRow): InsuranceNote {
    const before = this.#before.get(row.id);
    const ended = row.deleted_date !== null && before?.deleted_date === null;
    return {
      id: row.id,
      policy: row.policy_id,
      rank: row.rank,
      kind: ended ? "ended" : before ? "updated" : "created",
    };
  }
}

function noteRemoved({ id, policy_id, rank }: InsuranceRow): InsuranceNote {
  return { id, policy: policy_id, rank, kind: "removed" };
}

function isChanged(before: InsuranceRow | undefined, after: InsuranceRow): boolean {
  return !before || keysOf(after).some((field) => before[field] !== after[field]);
}

function differ(before: readonly PlacedImage[] = [], after: readonly PlacedImage[] = []): boolean {
  const places = (images: readonly PlacedImage[]) => images.map((i) => `${i.image_rank} ${i.image_key}`).join();
  return places(before) !== places(after);
}

/** Lists the legacy insurances of patients: current ones by rank, then past ones newest first. */
export async function listInsurances(
  read: Db,
  patientIds: readonly number[],
  condition = empty,
): Promise<InsuranceRow[]> {
  return read.rows<InsuranceRow>(sql`
    SELECT ${raw(INSURANCE_COLUMNS.join(", "))} FROM patient_insurance
    WHERE ${inList(sql`patient_id`, patientIds)} ${condition}
    ORDER BY patient_id, (deleted_date IS NOT NULL), CASE WHEN deleted_date IS NULL THEN rank END, deleted_date DESC, id DESC`);
}

interface CurrentRows {
  rows: InsuranceRow[];
  cards: LegacyCardRow[];
}

const preloaded = new Preloaded<CurrentRows>();

/** Loads the current insurances and cards of a patient for the next ledger of the transaction. */
export async function preloadInsurances(tx: Tx, patientId: number): Promise<void> {
  preloaded.put(tx, await loadCurrent(tx, patientId));
}

const CURRENT_INSURANCES = fixed(
  (patientId: number) => sql`
    SELECT ${raw(INSURANCE_COLUMNS.join(", "))} FROM patient_insurance
    WHERE patient_id = ${patientId} AND deleted_date IS NULL ORDER BY rank`,
);

async function loadCurrent(tx: Tx, patientId: number): Promise<CurrentRows> {
  const [rows, cards] = await Promise.all([
    tx.rows<InsuranceRow>(CURRENT_INSURANCES(patientId)),
    listCards(patientId, tx),
  ]);
  return { rows, cards };
}

const CURRENT_CARDS = fixed(
  (patientId: number) => sql`
    SELECT rank, side AS image_rank, image_key, sha256, content_type, bytes, width, height, created_date
    FROM legacy_card WHERE patient_id = ${patientId} AND ended_date IS NULL ORDER BY rank, side`,
);

/** Lists the current legacy card images of a patient, by rank and side (`image_rank` is the side). */
export async function listCards(patientId: number, read: Db = db): Promise<LegacyCardRow[]> {
  return read.rows<LegacyCardRow>(CURRENT_CARDS(patientId));
}

const UPDATED = INSURANCE_COLUMNS.filter(
  (column) => !["id", "patient_id", "practice_id", "policy_id"].includes(column),
);
const UPSERT = `ON CONFLICT (id) DO UPDATE SET ${UPDATED.map((column) => `${column} = excluded.${column}`).join(", ")}`;
const UPDATE_INSURANCE = rowUpdate("patient_insurance", UPDATED);
const UPSERT_INSURANCE = rowInsert("patient_insurance", INSURANCE_COLUMNS, UPSERT);

/** Inserts or updates legacy insurances in one statement. Safe to repeat. */
async function upsertInsurances(tx: Tx, rows: readonly InsuranceRow[]): Promise<void> {
  if (rows.length === 0) return;
  tx.send(sql`${insertInto("patient_insurance", rows, INSURANCE_COLUMNS)} ${raw(UPSERT)}`);
}

/** Ends current insurances temporarily, so that they can swap ranks without violating the unique index. */
export async function vacateRanks(tx: Tx, ids: readonly number[], now: string): Promise<void> {
  if (ids.length === 0) return;
  tx.send(sql`UPDATE patient_insurance SET deleted_date = ${now} WHERE id = ANY(${[...ids]})`);
}

/** Permanently deletes insurances. */
export async function removeInsurances(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  tx.send(sql`DELETE FROM patient_insurance WHERE id = ANY(${[...ids]})`);
}

/** Ends the card images of a rank that are no longer shown, and adds the new ones. */
export async function writeCards(
  write: PatientWrite,
  rank: number,
  before: readonly PlacedImage[],
  after: readonly PlacedImage[],
): Promise<void> {
  const place = (image: PlacedImage) => `${image.image_rank} ${image.image_key}`;
  const kept = new Set(after.map(place));
  const had = new Set(before.map(place));
  const ended = before.filter((image) => !kept.has(place(image)));
  if (ended.length > 0) {
    write.tx.send(sql`
      UPDATE legacy_card SET ended_date = ${write.now}
      WHERE patient_id = ${write.patient.id} AND rank = ${rank} AND ended_date IS NULL
        AND side = ANY(${ended.map(({ image_rank }) => image_rank)})`);
  }
  const added = after.filter((image) => !had.has(place(image)));
  if (added.length === 0) return;
  await insertCards(
    write.tx,
    added.map((image) => ({ patient_id: write.patient.id, rank, ...image })),
  );
}

const CARD_COLUMNS = [
  "patient_id",
  "rank",
  "side",
  "image_key",
  "sha256",
  "content_type",
  "bytes",
  "width",
  "height",
  "created_date",
] as const;

/** Inserts card images at their ranks. */
export async function insertCards(
  tx: Tx,
  cards: readonly (PlacedImage & { patient_id: number; rank: number })[],
): Promise<void> {
  const rows = cards.map(({ image_rank: side, ...card }) => ({ ...card, side }));
  for (const part of chunks(rows, 1000)) tx.send(insertInto("legacy_card", part, CARD_COLUMNS));
}

/** What happened to a patient in a version. */
export type PatientVersionKind = "created" | "updated" | "deleted" | "insurances_changed" | "cards_changed";

const RAISE_VERSION = rowUpdate("patient", ["version", "last_modified"]);
const INSERT_VERSION = rowInsert("patient_version", [
  "patient_id",
  "version",
  "kind",
  "changes",
  "actor",
  "source",
  "reason",
  "request_id",
  "occurred_date",
]);

/** Increments the patient's version and appends the row that records who changed what, when, how and why (invariant 3). */
export async function appendPatientVersion(
  write: PatientWrite,
  kind: PatientVersionKind,
  changes: unknown,
): Promise<void> {
  const { tx, origin, patient, now } = write;
  write.change = kind === "deleted" ? "deleted" : "saved";
  const version = ++patient.version;
  tx.send(RAISE_VERSION({ id: patient.id, version, last_modified: now }));
  tx.send(
    INSERT_VERSION({
      patient_id: patient.id,
      version,
      kind,
      changes: JSON.stringify(changes),
      actor: origin.actor,
      source: origin.source,
      reason: origin.reason,
      request_id: origin.requestId,
      occurred_date: now,
    }),
  );
}

/** Marks a patient as deleted. From then on, requests for it return 404. */
export async function markPatientDeleted({ tx, patient, now }: PatientWrite): Promise<void> {
  await tx.run(kysely.updateTable("patient").set({ deleted_date: now }).where("id", "=", patient.id));
}
