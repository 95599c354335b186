// node scripts/run.mjs FILE.ts [arguments]: runs a TypeScript program with the settings and the database of `npm start`.
import "./lib/require-node.mjs";
import path from "node:path";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { logToFile } from "./lib/log-file.mjs";
import { ROOT } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";
import { checkSettings, loadSettings } from "./lib/settings.mjs";

const [file, ...args] = process.argv.slice(2);
/** Programs that sign nothing, so they need no secret key. */
const UNSIGNED = ["audit-verify", "images", "practice", "contract"];
const signs = !UNSIGNED.some((name) => file === `scripts/${name}.ts`);
/** Whether the program creates the data that it needs. The others need an existing database. */
const createsData = !file?.startsWith("scripts/") || file === "scripts/seed.ts" || file === "scripts/worker.ts";
/** Commands print results to stdout and log to a file. */
const isCommand = file?.startsWith("scripts/") && file !== "scripts/worker.ts";
/** audit-verify exits with 1 if the audit was changed, so it needs another code for failures. */
const failureCode = file === "scripts/audit-verify.ts" ? 3 : 1;

await main(
  async () => {
    if (!file) throw new UsageFailure("Usage: node scripts/run.mjs FILE.ts [arguments]");
    await install();
    loadSettings({ nodeEnv: "production", keepsSecret: createsData || Boolean(process.env.DATABASE_URL && signs) });
    if (isCommand) logToFile(path.basename(file, ".ts"), { inData: true });
    await checkSettings();
    const { loadDemo, migrate, openDatabase, requireDatabase, warnOfRole } = await import("./lib/database.mjs");
    if (!createsData) requireDatabase();
    const { nodeArguments } = await import("./lib/programs.mjs");
    const program = await nodeArguments(file);
    const database = await openDatabase();
    await migrate(database);
    await loadDemo(database);
    // Benchmarks create their own databases.
    if (file.startsWith("bench/")) process.env.MIGRATION_DATABASE_URL = database.ownerUrl;
    if (file === "scripts/worker.ts") await warnOfRole(database);
    const { code } = await run(process.execPath, [...program, ...args], { cwd: ROOT });
    return code;
  },
  { failureCode },
);
