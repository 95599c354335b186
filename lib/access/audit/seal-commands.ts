import { db, sql } from "@/lib/platform/db/sql";

/** Bounds how long a call takes, to about 0.2 s. */
const SEALED_AT_ONCE = 2_000;
/** How often all pending entries are looked through, with those of transactions that took longer than this. */
const FULL_PASS_MS = 60_000;

/** The result of a call of `sealAudit`. */
export interface Sealed {
  /** Number of sealed entries. Null if another session is sealing. */
  sealed: number | null;
  /** The highest ID that was looked at. Null if no entry is pending. */
  upto: number | null;
}

/**
 * Seals committed entries in blocks, the oldest ones, one block for each of their practices. Only one session seals at a time.
 *
 * @param afterId only entries with a higher ID
 */
export async function sealAudit(afterId = 0, atMost = SEALED_AT_ONCE): Promise<Sealed> {
  return db.one<Sealed>(sql`SELECT sealed, upto FROM seal_audit(${afterId}, ${atMost})`);
}

/**
 * Seals audit entries again and again. It starts at the entries of the last minute or two, because while an old transaction runs anywhere
 * in the database, PostgreSQL can't remove what was deleted from the table, and a search from its start would walk over all of it.
 */
export class AuditSealer {
  readonly #onBlocks: () => void;
  #afterId = 0;
  #nextAfterId = 0;
  #highest = 0;
  #fullPassAt = Number.NEGATIVE_INFINITY;

  /** @param onBlocks is called when there may be blocks without an anchor */
  constructor(onBlocks: () => void = () => {}) {
    this.#onBlocks = onBlocks;
  }

  /** Seals one batch. Returns whether there may be another one. */
  async seal(): Promise<boolean> {
    const isFullPass = performance.now() - this.#fullPassAt >= FULL_PASS_MS;
    const { sealed, upto } = await sealAudit(isFullPass ? 0 : this.#afterId);
    if (sealed === null) return false;
    this.#highest = Math.max(this.#highest, upto ?? 0);
    if (sealed > 0 || isFullPass) this.#onBlocks();
    if (sealed >= SEALED_AT_ONCE) return true;
    if (!isFullPass) return false;
    this.#fullPassAt = performance.now();
    this.#afterId = this.#nextAfterId;
    this.#nextAfterId = this.#highest;
    return false;
  }
}
