// npm run audit:verify [-- --anchors FILE] [--json]
// Exit codes: 0 all chains are intact, 1 a chain is broken, 2 wrong usage, 3 verification failed.
import { constants } from "node:fs";
import { access, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { type ChainHead, type Verification, verifyAudit } from "@/lib/access/audit/chain-queries";
import { readArguments, runProgram, UsageError } from "./lib/command-line";

const USAGE = "Usage: npm run audit:verify [-- --anchors FILE] [--json]";

const anchorFile = z.array(z.strictObject({ practice: z.int(), seq: z.int(), hash: z.string().regex(/^[0-9a-f]*$/) }));

/** Reads the heads that an earlier verification wrote. Returns none if the file does not exist yet. */
async function readAnchors(file: string): Promise<ChainHead[]> {
  try {
    return anchorFile.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new UsageError(`--anchors ${file} is not a file that an earlier verification wrote.`);
  }
}

/** Requires a writable file for the chain heads. Called first, because a verification can take long and its heads must not be lost. */
async function requireWritable(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  await access(folder, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
    const why = code === "ENOENT" ? "the folder does not exist" : `permission denied (${code})`;
    throw new UsageError(`--anchors ${file} can't be written to ${folder}: ${why}.`);
  });
}

async function writeAnchors(file: string, heads: readonly ChainHead[]): Promise<void> {
  await writeFile(`${file}.part`, `${JSON.stringify(heads, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.part`, file);
}

async function verify(): Promise<number> {
  const options = { anchors: { type: "string" }, json: { type: "boolean" } } as const;
  const { anchors: file, json } = readArguments({ usage: USAGE, options }).values;
  if (file !== undefined) await requireWritable(file);
  const earlier = file === undefined ? [] : await readAnchors(file);
  const started = performance.now();
  const result = await verifyAudit(earlier);
  const seconds = (performance.now() - started) / 1000;
  const holds = result.broken.length === 0;
  if (json) print(JSON.stringify({ ...result, earlier_heads: earlier.length, seconds }));
  else describe(result, seconds).forEach(print);
  if (!json && file !== undefined && earlier.length === 0) {
    print(
      `${file} has no earlier heads to compare with. ${holds ? "The current heads were written to it." : "Nothing was written to it."}`,
    );
  }
  if (file !== undefined && holds) await writeAnchors(file, result.heads);
  return holds ? 0 : 1;
}

function describe({ entries, heads, broken }: Verification, seconds: number): string[] {
  const verdict = broken.length > 0 ? `${broken.length} broken` : "all chains are intact";
  return [
    ...broken.map(
      ({ practice, seq, problem }) => `✗ ${chainName(practice)}: the chain is broken at entry ${seq}: ${problem}.`,
    ),
    ...heads.map(({ practice, seq, hash }) => `✓ ${chainName(practice)}: ${seq} entries, up to ${hash}`),
    `${entries.toLocaleString("en-US")} entries verified in ${seconds.toFixed(1)} s; ${verdict}.`,
  ];
}

/** Chain 0 holds the security events that belong to no practice. */
function chainName(practice: number): string {
  return practice === 0 ? "installation" : `practice ${practice}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runProgram(verify, {
  failureCode: 3,
  hint: "The verification did not finish, which says nothing about the chains. Run it again.",
});
