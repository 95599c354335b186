// The thread that reads an uploaded export beside the server's event loop: lib/migration/read/read-apart.ts starts it.
import os from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { serveReader } from "@/lib/migration/read/reader-thread";

// On Linux each thread has its own priority: this one yields to those that serve requests.
if (process.platform === "linux") os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
if (parentPort) await serveReader(parentPort, workerData);
else process.exitCode = 2;
