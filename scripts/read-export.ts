// The thread that reads an uploaded export beside the server's event loop: lib/migration/commands/read-apart.ts starts it.
import os from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { serveReader } from "@/lib/migration/commands/reader-thread";

// Where threads have a priority of their own, this one gives way to those that serve requests.
if (process.platform === "linux") os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
if (parentPort) await serveReader(parentPort, workerData);
else process.exitCode = 2;
