// npm run audit:verify [-- --anchors FILE] [--json]
import { readFile, rename, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { type ChainHead, type Verification, verifyAudit } from "@/lib/audit/queries";
import { closePool } from "@/lib/db/pool";

const USAGE = "Usage: npm run audit:verify [-- --anchors FILE] [--json]";

/** What the user has to put right before anything can begin: one line, exit code 2. */
class UsageError extends Error {}

const anchorFile = z.array(z.strictObject({ practice: z.int(), seq: z.int(), hash: z.string().regex(/^[0-9a-f]*$/) }));

function readOptions(): { anchors?: string; json?: boolean } {
  try {
    return parseArgs({ options: { anchors: { type: "string" }, json: { type: "boolean" } } }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". ")[0]}. ${USAGE}`);
  }
}

/** The heads an earlier verification noted; none where the file is to be made. */
async function readAnchors(file: string): Promise<ChainHead[]> {
  try {
    return anchorFile.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new UsageError(`--anchors ${file} can't be read: it is no file that an earlier verification wrote.`);
  }
}

async function main(): Promise<number> {
  const { anchors: file, json } = readOptions();
  const started = performance.now();
  try {
    const result = await verifyAudit(file === undefined ? [] : await readAnchors(file));
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write(json ? `${JSON.stringify({ ...result, seconds })}\n` : describe(result, seconds));
    if (result.broken.length > 0) return 1;
    if (file !== undefined) {
      await writeFile(`${file}.part`, `${JSON.stringify(result.heads, null, 2)}\n`, { mode: 0o600 });
      await rename(`${file}.part`, file);
    }
    return 0;
  } finally {
    await closePool();
  }
}

function describe({ entries, heads, broken }: Verification, seconds: number): string {
  const lines = broken.map(
    ({ practice, seq, problem }) => `✗ practice ${practice}: the chain breaks at entry ${seq}: ${problem}.`,
  );
  for (const { practice, seq, hash } of heads) lines.push(`✓ practice ${practice}: ${seq} entries, up to ${hash}`);
  const verdict = broken.length > 0 ? `${broken.length} broken` : "every chain holds";
  lines.push(`${entries.toLocaleString("en-US")} entries verified in ${seconds.toFixed(1)} s; ${verdict}.`);
  return `${lines.join("\n")}\n`;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  console.error(`✗ ${(error as Error).message}`);
}
