// Runs one of our TypeScript programs with the settings and the database of `npm start`: node scripts/run.mjs FILE.ts [arguments]
import "./lib/require-node.mjs";
import path from "node:path";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { logToFile } from "./lib/log-file.mjs";
import { ROOT } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";
import { checkSettings, loadSettings } from "./lib/settings.mjs";

const [file, ...args] = process.argv.slice(2);
const READING = ["audit-verify", "images", "practice", "contract"];
/** Programs that need no secret key. */
const reads = READING.some((name) => file === `scripts/${name}.ts`);
/** Programs that work without an installation. All others need the data that the server has created. */
const makesData = !file?.startsWith("scripts/") || file === "scripts/seed.ts" || file === "scripts/worker.ts";
/** Programs whose results go to stdout, and whose log goes to a file. */
const isCommand = file?.startsWith("scripts/") && file !== "scripts/worker.ts";

/** The exit code if the program could not start. 1 would mean that the audit is broken. */
const failureCode = file === "scripts/audit-verify.ts" ? 3 : 1;

await main(
  async () => {
    if (!file) throw new UsageFailure("Usage: node scripts/run.mjs FILE.ts [arguments]");
    await install();
    loadSettings({ nodeEnv: "production", keepsSecret: makesData || Boolean(process.env.DATABASE_URL && !reads) });
    if (isCommand) logToFile(path.basename(file, ".ts"), { inData: true });
    await checkSettings();
    const { loadDemo, migrate, openDatabase, requireDatabase, warnOfRole } = await import("./lib/database.mjs");
    if (!makesData) requireDatabase();
    const { generate } = await import("./lib/build-steps.mjs");
    await generate();
    const database = await openDatabase();
    await migrate(database);
    await loadDemo(database);
    // Benchmarks create their own databases.
    if (file.startsWith("bench/")) process.env.MIGRATION_DATABASE_URL = database.ownerUrl;
    if (file === "scripts/worker.ts") await warnOfRole(database);
    const { code } = await run(process.execPath, ["--import", "tsx", file, ...args], { cwd: ROOT });
    return code;
  },
  { failureCode },
);
