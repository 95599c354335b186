// The thread that reads an uploaded export beside the server's event loop: lib/migration/commands/read-apart.ts starts it.
import { parentPort, workerData } from "node:worker_threads";
import { serveReader } from "@/lib/migration/commands/reader-thread";

if (parentPort) await serveReader(parentPort, workerData);
else process.exitCode = 2;
