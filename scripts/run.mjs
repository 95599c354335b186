// Runs one of our TypeScript programs with the settings and the database of `npm start`: node scripts/run.mjs FILE.ts [arguments]
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { ROOT } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";
import { checkSettings, loadSettings } from "./lib/settings.mjs";

const [file, ...args] = process.argv.slice(2);
/** Where it could not even begin, 1 would say that the audit is broken. */
const failureCode = file === "scripts/audit-verify.ts" ? 3 : 1;

await main(
  async () => {
    if (!file) throw new UsageFailure("Usage: node scripts/run.mjs FILE.ts [arguments]");
    await install();
    loadSettings({ nodeEnv: "production" });
    await checkSettings();
    const { generate } = await import("./lib/build-steps.mjs");
    await generate();
    const { migrate, openDatabase } = await import("./lib/database.mjs");
    const { url } = await openDatabase();
    await migrate(url);
    const { code } = await run(process.execPath, ["--import", "tsx", file, ...args], { cwd: ROOT });
    return code;
  },
  { failureCode },
);
