// log-process.ts LINES END: logs lines, ends in one of several ways, and loses no line.
import { log } from "@/lib/platform/log";

const [lines, end] = [Number(process.argv[2]), process.argv[3]];

for (let line = 1; line <= lines; line++) log.info({ line });

switch (end) {
  case "exit":
    process.exit(0);
    break;
  case "crash":
    throw new Error("a crash");
  case "SIGTERM":
    process.once("SIGTERM", () => {
      log.info({ line: lines + 1 });
      process.exit(0);
    });
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => {}, 10_000);
    break;
  case "warning":
    // The second one is logged while the first is written.
    for (const line of [lines + 1, lines + 2]) log.warn({ line });
    // Warnings are written within a few turns, so that they survive a kill -9.
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);
    break;
  default:
}
