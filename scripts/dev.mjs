// npm run dev: runs `next dev` with the database and the settings of `npm start`.
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, run, stopsBySignal } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { say } from "./lib/progress.mjs";
import { checkSettings, loadSettings } from "./lib/settings.mjs";

await main(async () => {
  await install();
  loadSettings({ nodeEnv: "development" });
  const { PORT, HOST, PUBLIC_URL, warnings } = await checkSettings();
  const { generate } = await import("./lib/build-steps.mjs");
  await generate();
  const { loadDemo, migrate, openDatabase, warnOfRole } = await import("./lib/database.mjs");
  const database = await openDatabase();
  await migrate(database);
  await loadDemo(database);
  await warnOfRole(database);
  const next = inRoot("node_modules/next/dist/bin/next");
  const args = ["dev", "--port", String(PORT), "--hostname", HOST, ...process.argv.slice(2)];
  // next-auth reads its own address from the environment.
  process.env.NEXTAUTH_URL = PUBLIC_URL ?? `http://localhost:${PORT}`;
  for (const warning of warnings) say(`! ${warning}`);
  stopsBySignal();
  const { code } = await run(process.execPath, [next, ...args], { cwd: ROOT });
  return code;
});
