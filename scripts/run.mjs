// Runs one of our TypeScript programs with the settings and the database of `npm start`: node scripts/run.mjs FILE.ts [arguments]
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { ROOT } from "./lib/paths.mjs";
import { Failure } from "./lib/progress.mjs";
import { checkSettings, loadSettings } from "./lib/settings.mjs";

const [file, ...args] = process.argv.slice(2);

await main(async () => {
  if (!file) throw new Failure("Usage: node scripts/run.mjs FILE.ts [arguments]");
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
});
