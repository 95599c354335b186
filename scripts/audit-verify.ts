// npm run audit:verify [-- --anchors FILE] [--json]
// Exit codes: 0 all chains are intact, 1 a chain is broken, 2 wrong usage, 3 verification failed.
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { parseAnchors, toAnchorLine } from "@/lib/access/audit/anchors";
import {
  type Anchor,
  type Removed,
  type Unsealed,
  type Verification,
  verifyAudit,
} from "@/lib/access/audit/chain-queries";
import { appendLines } from "@/lib/platform/storage/append-lines";
import { readArguments, runProgram, UsageError } from "./lib/command-line";
import { counted } from "./lib/output";

const USAGE = "Usage: npm run audit:verify [-- --anchors FILE] [--json]";

/** Reads the lines that AUDIT_ANCHORS or an earlier verification wrote. Returns none if the file does not exist yet. */
async function readAnchors(file: string): Promise<{ anchors: Anchor[]; unreadable: number }> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new UsageError(`--anchors ${file} can't be read (${error.code}).`);
  });
  const read = parseAnchors(text);
  if (read.anchors.length > 0 || read.unreadable === 0) return read;
  throw new UsageError(
    `--anchors ${file} has no anchors: it needs lines that AUDIT_ANCHORS or an earlier verification wrote.`,
  );
}

/** Requires a folder that can be written to. Called first, because a verification can take long and its heads must not be lost. */
async function requireWritable(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  await access(folder, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
    const why = code === "ENOENT" ? "the folder does not exist" : `permission denied (${code})`;
    throw new UsageError(`--anchors ${file} can't be written to ${folder}: ${why}.`);
  });
}

/** Appends the heads that the file does not have yet. */
async function writeAnchors(file: string, heads: readonly Anchor[], earlier: readonly Anchor[]): Promise<void> {
  const known = new Set(earlier.map(toAnchorLine));
  const lines = heads.map(toAnchorLine).filter((line) => !known.has(line));
  if (lines.length > 0) await appendLines(file, { name: "", lines });
}

async function verify(): Promise<number> {
  const options = { anchors: { type: "string" }, json: { type: "boolean" } } as const;
  const { anchors: file, json } = readArguments({ usage: USAGE, options }).values;
  if (file !== undefined) await requireWritable(file);
  const { anchors, unreadable } = file === undefined ? { anchors: [], unreadable: 0 } : await readAnchors(file);
  const started = performance.now();
  const result = await verifyAudit(anchors);
  const seconds = (performance.now() - started) / 1000;
  const holds = result.broken.length === 0;
  if (json) print(JSON.stringify({ ...result, anchors: anchors.length, unreadable_lines: unreadable, seconds }));
  else {
    describe(result, seconds).forEach(print);
    if (file !== undefined) describeAnchors(file, { anchors: anchors.length, unreadable, holds }).forEach(print);
  }
  if (file !== undefined && holds) await writeAnchors(file, result.heads, anchors);
  return holds ? 0 : 1;
}

function describe({ entries, heads, broken, unsealed, removed }: Verification, seconds: number): string[] {
  const verdict = broken.length > 0 ? `${broken.length} broken` : "all chains are intact";
  return [
    ...broken.map(
      ({ practice, seq, problem }) => `✗ ${chainName(practice)}: the chain is broken at entry ${seq}: ${problem}.`,
    ),
    ...heads.map(
      ({ practice, block, seq, hash }) =>
        `✓ ${chainName(practice)}: ${counted(seq, "entry", "entries")} in ${counted(block, "block")}, up to ${hash}`,
    ),
    ...removed.map(describeRemoved),
    ...unsealed.map(describeUnsealed),
    `${counted(entries, "entry", "entries")} verified in ${seconds.toFixed(1)} s; ${verdict}.`,
  ];
}

function describeRemoved({ practice, seq, before }: Removed): string {
  return `· ${chainName(practice)}: entries up to ${seq}, sealed before ${before.slice(0, 10)}, were removed by retention`;
}

function describeUnsealed({ practice, entries, since }: Unsealed): string {
  return `· ${chainName(practice)}: ${counted(entries, "entry", "entries")} not sealed yet, the oldest from ${since}`;
}

function describeAnchors(file: string, read: { anchors: number; unreadable: number; holds: boolean }): string[] {
  const outcome = read.holds ? "The current heads were written to it." : "Nothing was written to it.";
  return [
    ...(read.unreadable > 0 ? [`${counted(read.unreadable, "line")} of ${file} skipped: not an anchor.`] : []),
    read.anchors === 0
      ? `${file} has no anchors to compare with. ${outcome}`
      : `Compared ${counted(read.anchors, "anchor")} of ${file}.`,
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
