// npx crosswalk verify RUN: compares both stores with the export, field by field.
// Exit codes: 0 no differences, 1 differences, 2 wrong usage, 3 verification failed, 130 stopped.

import type { Difference } from "@/lib/migration/plan/compare-stores";
import { listDifferences } from "@/lib/migration/runs/queries";
import { isAtWork, originalsUntil } from "@/lib/migration/runs/run-states";
import type { Verification } from "@/lib/migration/runs/schema";
import { startVerification } from "@/lib/migration/verify/verify-run";
import { config } from "@/lib/platform/config";
import { readArguments, runProgram, UsageError } from "./lib/command-line";
import { requestFor, requireRun, STOPPED, startOrContinue, stopOnSignal, workToEnd } from "./lib/migration-runs";
import { describeKept } from "./lib/migration-words";
import { counted, number, Output } from "./lib/output";

const USAGE = "Usage: npx crosswalk verify RUN [--json]";
const MAX_SHOWN = 20;
const PAGE_SIZE = 500;

async function main(): Promise<number> {
  const { values, words } = readArguments({ usage: USAGE, options: { json: { type: "boolean" } }, words: 1 });
  if (words.length === 0) throw new UsageError(`RUN is required: the ID of the run. ${USAGE}`);
  const run = await requireRun(words[0], "RUN");
  const request = requestFor(run.practice_id);
  const out = new Output(values.json ?? false);
  const signal = stopOnSignal();
  await startOrContinue(run, {
    request,
    work: "verifying",
    action: "verify",
    begin: () => startVerification(request, run.id),
  });
  const after = await workToEnd(run.id, { signal });
  const { state, verification } = after;
  if (isAtWork(state) || !verification) {
    await out.print({ event: "stopped", run: run.id, state }, ["Stopped. Run the same command to continue."]);
    return STOPPED;
  }
  await printVerified(out, run.id, verification);
  const days = config().MIGRATION_RETENTION_DAYS;
  await out.print(
    { event: "kept", run: run.id, originals_until: originalsUntil(after, days) },
    describeKept(after, days),
  );
  return verification.different > 0 ? 1 : 0;
}

async function printVerified(out: Output, run: number, verification: Verification): Promise<void> {
  const { records, policies, images, images_read: read, changed_since: changed, different } = verification;
  const since =
    changed > 0
      ? [
          `${counted(changed, "record")} changed here since the conversion. For these, the two stores were compared with each other.`,
        ]
      : [];
  await out.print({ event: "verified", run, ...verification }, [
    `Verified: ${counted(records, "record")} with ${counted(policies, "policy", "policies")}, ${number(read)} of ${counted(images, "image")} read.`,
    ...since,
    different === 0 ? "No differences." : `${counted(different, "record")} with differences:`,
  ]);
  let shown = 0;
  for (let after = 0; ; ) {
    const found = await listDifferences(run, { after, limit: PAGE_SIZE });
    const last = found.at(-1);
    if (!last) break;
    after = last.number;
    for (const { line, patient, differences } of found) {
      shown++;
      const lines = shown <= MAX_SHOWN ? describeDifferences(line, patient, differences) : [];
      await out.print({ event: "difference", run, line, patient, differences }, lines);
    }
  }
  if (shown > MAX_SHOWN)
    await out.print({ event: "end", run }, [`  … and ${number(shown - MAX_SHOWN)} more: --json lists all.`]);
}

function describeDifferences(line: number, patient: string | null, differences: readonly Difference[]): string[] {
  return differences.map(
    ({ where, field, between: [a, b], values: [x, y] }) =>
      `  line ${line}, patient ${patient}: ${where}, ${field}: ${a} ${short(x)}, ${b} ${short(y)}`,
  );
}

const short = (value: unknown) => JSON.stringify(value)?.slice(0, 80) ?? "nothing";

await runProgram(main, { failureCode: 3, hint: "Run the same command to continue." });
