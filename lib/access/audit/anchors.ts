import { z } from "zod";
import { config, S3_FOLDER } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { db, empty, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { appendLines } from "@/lib/platform/storage/append-lines";
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
 * Writes a line for each sealed block to AUDIT_ANCHORS, in the order of the commits. A process that is killed meanwhile may write lines
 * twice, but leaves none out. Only one process writes at a time.
 *
 * @param options.waits waits while another process writes
 * @returns whether all blocks have a line. False if another process is writing, which may have begun before the last blocks were sealed
 */
export async function anchorBlocks({ waits = false } = {}): Promise<boolean> {
  const { AUDIT_ANCHORS: destination } = config();
  if (destination === undefined) return true;
  await db.run(
    sql`INSERT INTO audit_anchor (destination, block_id) VALUES (${destination}, 0) ON CONFLICT (destination) DO NOTHING`,
  );
  for (;;) {
    const written = await anchorBatch(destination, waits);
    if (written === null) return false;
    if (written < AT_ONCE) return true;
  }
}

/** Returns the pause between two calls of `anchorBlocks`. */
export function anchorPauseMs(): number {
  return S3_FOLDER.test(config().AUDIT_ANCHORS ?? "") ? OBJECT_PAUSE_MS : 0;
}

/** Returns the number of lines written; null if another process is writing. */
async function anchorBatch(destination: string, waits: boolean): Promise<number | null> {
  return transaction(async (tx) => {
    const cursor = await tx.first<Row<"audit_anchor", "block_id">>(sql`
      SELECT block_id FROM audit_anchor WHERE destination = ${destination} FOR UPDATE ${waits ? empty : sql`SKIP LOCKED`}`);
    if (!cursor) return null;
    const blocks = await tx.rows<Row<"audit_block", "id" | "practice_id" | "number" | "last_seq" | "hash">>(sql`
      SELECT id, practice_id, number, last_seq, hash FROM audit_block WHERE id > ${cursor.block_id} ORDER BY id LIMIT ${AT_ONCE}`);
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (!first || !last) return 0;
    const lines = blocks.map(({ practice_id: practice, number: block, last_seq: seq, hash }) =>
      toAnchorLine({ practice, block, seq, hash: hash.toString("hex") }),
    );
    await appendLines(destination, { name: String(first.id).padStart(16, "0"), lines });
    await tx.run(sql`UPDATE audit_anchor SET block_id = ${last.id} WHERE destination = ${destination}`);
    return blocks.length;
  });
}
