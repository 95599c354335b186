import { z } from "zod";
import { config, S3_FOLDER } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { processWide } from "@/lib/platform/objects";
import { appendLines, LateWriteError } from "@/lib/platform/storage/append-lines";
import type { Anchor } from "./chain-queries";

const AT_ONCE = 1_000;
/** An object can't be appended to, so this bounds how many there are. */
const OBJECT_PAUSE_MS = 10_000;

const schema = z.strictObject({
  practice: z.int(),
  block: z.int(),
  seq: z.int(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Returns an anchor as a line of JSON, without its line break. */
export function toAnchorLine({ practice, block, seq, hash }: Anchor): string {
  return JSON.stringify({ practice, block, seq, hash });
}

/**
 * Parses lines of anchors. A process that was killed while it wrote leaves the start of a line, which is written again.
 *
 * @returns the anchors, and the number of lines that are none
 */
export function parseAnchors(text: string): { anchors: Anchor[]; unreadable: number } {
  const lines = text.split("\n").filter((line) => line !== "");
  const anchors = lines.flatMap((line) => {
    const parsed = schema.safeParse(toJson(line));
    return parsed.success ? [parsed.data] : [];
  });
  return { anchors, unreadable: lines.length - anchors.length };
}

function toJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * Writes a line for each sealed block to AUDIT_ANCHORS, in the order of the commits. A process that is killed or takes too long may write
 * lines twice, but leaves none out. Only one process writes at a time.
 *
 * @param signal ends the write of the current lines, which otherwise takes at most 20 s
 * @returns whether all blocks have a line. False if another process is writing, which may have begun before the last blocks were sealed
 */
export async function anchorBlocks(signal?: AbortSignal): Promise<boolean> {
  const { AUDIT_ANCHORS: destination } = config();
  if (destination === undefined) return true;
  await db.run(
    sql`INSERT INTO audit_anchor (destination, block_id) VALUES (${destination}, 0) ON CONFLICT (destination) DO NOTHING`,
  );
  for (;;) {
    const written = await anchorBatch(destination, signal);
    if (written === null) return false;
    if (written < AT_ONCE) return true;
  }
}

/**
 * Finds the oldest block without an anchor.
 *
 * @returns when it was sealed (ISO 8601), or `since: null` if every block has an anchor; null if AUDIT_ANCHORS is not set
 */
export async function findUnanchored(): Promise<{ since: string | null } | null> {
  const { AUDIT_ANCHORS: destination } = config();
  if (destination === undefined) return null;
  const oldest = await db.first<{ since: string }>(sql`
    SELECT sealed_date AS since FROM audit_block
    WHERE id > coalesce((SELECT block_id FROM audit_anchor WHERE destination = ${destination}), 0) ORDER BY id LIMIT 1`);
  return { since: oldest?.since ?? null };
}

/** Returns the pause between two calls of `anchorBlocks`. */
export function anchorPauseMs(): number {
  return S3_FOLDER.test(config().AUDIT_ANCHORS ?? "") ? OBJECT_PAUSE_MS : 0;
}

/** Returns the number of lines written; null if another process is writing. */
async function anchorBatch(destination: string, signal: AbortSignal | undefined): Promise<number | null> {
  // The block after which this process writes again, because it was late or lost the lock. It may have overwritten what another process
  // appended meanwhile to a file that they share over a network.
  const late = processWide<{ after?: number | undefined }>("crosswalkLateAnchors", () => ({}));
  return transaction(async (tx) => {
    const cursor = await tx.first<Row<"audit_anchor", "block_id">>(sql`
      SELECT block_id FROM audit_anchor WHERE destination = ${destination} FOR UPDATE SKIP LOCKED`);
    if (!cursor) return null;
    const after = Math.min(cursor.block_id, late.after ?? cursor.block_id);
    const blocks = await tx.rows<Row<"audit_block", "id" | "practice_id" | "number" | "last_seq" | "hash">>(sql`
      SELECT id, practice_id, number, last_seq, hash FROM audit_block WHERE id > ${after} ORDER BY id LIMIT ${AT_ONCE}`);
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (!first || !last) return 0;
    const lines = blocks.map(({ practice_id: practice, number: block, last_seq: seq, hash }) =>
      toAnchorLine({ practice, block, seq, hash: hash.toString("hex") }),
    );
    await appendLines(destination, { name: `${toName(first.id)}-${toName(last.id)}`, lines }, signal).catch(
      (error: unknown) => {
        if (error instanceof LateWriteError) late.after = after;
        throw error;
      },
    );
    late.after = after;
    await tx.run(
      sql`UPDATE audit_anchor SET block_id = greatest(block_id, ${last.id}) WHERE destination = ${destination}`,
    );
    late.after = last.id < cursor.block_id ? last.id : undefined;
    return blocks.length;
  });
}

/** Returns the ID of a block in a form that sorts by number. */
function toName(blockId: number): string {
  return String(blockId).padStart(16, "0");
}
