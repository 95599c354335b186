// The process that bench/migration-run.ts measures or kills.
import { setTimeout as pause } from "node:timers/promises";
import { isAtWork } from "@/lib/migration/runs/run-states";
import { workRun } from "@/lib/migration/work/run-worker";
import { closePool } from "@/lib/platform/db/pool";
import { fileSource } from "@/lib/platform/files/source";
import { measure } from "./migration-work";

if (process.argv[2] === "--measure") {
  const [file, practiceId, records, rollsBack] = process.argv.slice(3);
  const measured = await measure(file as string, Number(practiceId), Number(records), rollsBack === "true");
  process.stdout.write(JSON.stringify(measured));
  await closePool();
} else if (process.argv[2] === "--work") {
  const [file = "", runId] = process.argv.slice(3);
  const source = await fileSource(file);
  // Waits for decisions after the check, and until a killed process has released the run.
  for (;;) {
    const run = await workRun(Number(runId), { source }).catch(() => null);
    if (run && !isAtWork(run.state) && run.state !== "checked") break;
    await pause(200);
  }
  await closePool();
}
