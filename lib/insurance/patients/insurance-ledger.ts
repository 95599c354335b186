import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { RANKS } from "@/lib/insurance/fields/ranks";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { appendPatientVersion } from "@/lib/insurance/patients/versions";
import { inList, sql } from "@/lib/platform/db/sql";
import { keysOf } from "@/lib/platform/objects";
import { listCards, listInsurances } from "./queries";
import { removeInsurances, upsertInsurances, vacateRanks, writeCards } from "./rows";
import type { InsuranceRow } from "./schema";

/** What one write did to an insurance, as recorded in the patient's version. The changed fields are in the policy's history. */
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
    const condition = sql`AND (deleted_date IS NULL OR ${inList(sql`id`, also)})`;
    const rows = await listInsurances(write.tx, [write.patient.id], condition);
    const cards = new Map<number, PlacedImage[]>(RANKS.map((rank) => [rank, []]));
    for (const { rank, ...image } of await listCards(write.patient.id, write.tx)) cards.get(rank)?.push(image);
    return new InsuranceLedger(write, rows, cards);
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
   * - An insurance without cards gets those of a rank that no insurance held.
   * - The cards of an insurance that ended without a successor end too.
   */
  moveCardsWithInsurances(): void {
    const before = [...this.#before.values()].filter((row) => row.deleted_date === null);
    const moved = new Map<number, PlacedImage[]>();
    for (const rank of RANKS) {
      const holder = this.current.find((row) => row.rank === rank);
      const previous = before.find((row) => row.rank === rank);
      const held = holder && before.find((row) => row.id === holder.id);
      const own = held && (this.#cardsBefore.get(held.rank) ?? []);
      if (own && (own.length > 0 || previous)) moved.set(rank, own);
      else if (holder && !held && previous && this.find(previous.id)?.deleted_date === null) moved.set(rank, []);
      else if (!holder && previous) moved.set(rank, []);
    }
    for (const [rank, images] of moved) this.setCards(rank, images);
  }

  /** Writes the changes with one version of the patient. Returns whether there were any. */
  async flush(): Promise<boolean> {
    const { tx, now } = this.#write;
    const removed = [...this.#before.keys()].filter((id) => !this.#after.has(id));
    const changed = [...this.#after.values()].filter((row) => isChanged(this.#before.get(row.id), row));
    const swapping = changed.filter((row) => {
      const before = this.#before.get(row.id);
      return before?.deleted_date === null && (before.rank !== row.rank || row.deleted_date !== null);
    });
    await removeInsurances(tx, removed);
    if (swapping.length < changed.length || changed.length > 1)
      await vacateRanks(
        tx,
        swapping.map(({ id }) => id),
        now,
      );
    await upsertInsurances(tx, changed);
    const ranks = RANKS.filter((rank) => differ(this.#cardsBefore.get(rank), this.#cards.get(rank)));
    for (const rank of ranks) {
      await writeCards(this.#write, rank, this.#cardsBefore.get(rank) ?? [], this.cards(rank));
    }
    if (changed.length + removed.length + ranks.length === 0) return false;
    const insurances = [...changed.map((row) => this.#note(row)), ...removed.map((id) => this.#noteRemoved(id))];
    const kind = insurances.length > 0 ? "insurances_changed" : "cards_changed";
    await appendPatientVersion(this.#write, kind, { insurances, card_ranks: ranks });
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

  #noteRemoved(id: number): InsuranceNote {
    const row = this.#before.get(id) as InsuranceRow;
    return { id, policy: row.policy_id, rank: row.rank, kind: "removed" };
  }
}

function isChanged(before: InsuranceRow | undefined, after: InsuranceRow): boolean {
  return !before || keysOf(after).some((field) => before[field] !== after[field]);
}

function differ(before: readonly PlacedImage[] = [], after: readonly PlacedImage[] = []): boolean {
  const places = (images: readonly PlacedImage[]) => images.map((i) => `${i.image_rank} ${i.image_key}`).join();
  return places(before) !== places(after);
}
