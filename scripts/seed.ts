// npm run seed -- --patients N [--practice ID]: adds thousands of fictional patients, to try the system at a realistic size.
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { NotFoundError } from "@/lib/platform/errors";
import { CROWD_BATCH, type CrowdPractice, seedCrowd } from "@/prisma/seed/crowd";
import { findOrCreatePractice, prepareForCrowd, refreshStatistics } from "@/prisma/seed/crowd-practice";
import { readArguments, readId, runProgram, UsageError } from "./lib/command-line";

const USAGE = "Usage: npm run seed -- --patients N [--practice ID]";
const MAX_PATIENTS = 1_000_000;
/** How often it reports progress. */
const REPORT_MS = 2_000;

function readOptions(): { patients: number; practiceId: number | null } {
  const options = { patients: { type: "string" }, practice: { type: "string" } } as const;
  const { patients, practice } = readArguments({ usage: USAGE, options }).values;
  if (patients === undefined) throw new UsageError(`--patients is required: the number of patients. ${USAGE}`);
  const count = /^\d{1,7}$/.test(patients) ? Number(patients) : 0;
  if (count < 1 || count > MAX_PATIENTS) {
    throw new UsageError(`--patients must be a whole number from 1 to ${figure(MAX_PATIENTS)}`);
  }
  return { patients: count, practiceId: practice === undefined ? null : readId(practice, "--practice") };
}

async function main(): Promise<number> {
  const { patients, practiceId } = readOptions();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  const taken = "Another process is seeding this database. Wait until it has finished.";
  return withAdvisoryLock({ name: "seed", taken, waitMs: 1_000 }, async () => {
    const practice = await findOrCreatePractice(practiceId).catch((error: unknown) => {
      throw error instanceof NotFoundError ? new UsageError(`--practice: ${error.message}`) : error;
    });
    const { done, rows, seconds } = await writeAll(await prepareForCrowd(practice), patients, stop.signal);
    await refreshStatistics();
    say(`${figure(done)} patients in ${practice.name} (practice ${practice.id}): ${describe({ rows, seconds })}`);
    if (done === patients) return 0;
    say("Stopped before the end. The patients above were written completely.");
    return 130;
  });
}

async function writeAll(practice: CrowdPractice, patients: number, stop: AbortSignal) {
  const start = performance.now();
  const secondsSince = () => (performance.now() - start) / 1000;
  let [done, rows, reported] = [0, 0, start];
  while (done < patients && !stop.aborted) {
    const batch = Math.min(CROWD_BATCH, patients - done);
    rows += await seedCrowd(practice, batch);
    done += batch;
    if (performance.now() - reported < REPORT_MS || done === patients) continue;
    reported = performance.now();
    say(`${figure(done)} of ${figure(patients)} patients, ${describe({ rows, seconds: secondsSince() })}`);
  }
  return { done, rows, seconds: secondsSince() };
}

const figure = (value: number) => value.toLocaleString("en-US");
const describe = ({ rows, seconds }: { rows: number; seconds: number }) =>
  `${figure(rows)} rows in ${seconds.toFixed(1)} s, ${figure(Math.round(rows / Math.max(seconds, 0.001)))} rows per second`;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runProgram(main);
