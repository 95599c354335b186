// npm start: builds and starts the server, also from a fresh checkout. Options: --demo (write the demo into this database),
// --no-demo (leave a new database empty).
import "./lib/require-node.mjs";
import fs from "node:fs";
import { install } from "./lib/install.mjs";
import { main, onEnd, stopsBySignal } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { portTaken, requireFreePort } from "./lib/ports.mjs";
import { say, UsageFailure } from "./lib/progress.mjs";
import { checkSettings, loadSettings, setDemoSettings } from "./lib/settings.mjs";

const HOW_TO_SET_UP = `There is no account yet. Create the first one in another terminal:
  npx crosswalk setup --organization NAME --practice NAME --admin EMAIL
`;

const options = new Set(process.argv.slice(2));

await main(async () => {
  const unknown = [...options].find((option) => !["--demo", "--no-demo"].includes(option));
  if (unknown) throw new UsageFailure(`unknown option ${unknown}. Options: --demo, --no-demo`);
  process.chdir(ROOT);
  await install();
  loadSettings({ nodeEnv: "production" });
  const { PORT, HOST, METRICS_PORT, METRICS_HOST, PUBLIC_URL, warnings } = await checkSettings();
  await requireFreePort("PORT", PORT, HOST);
  if (METRICS_PORT) await requireFreePort("METRICS_PORT", METRICS_PORT, METRICS_HOST);

  const { build } = await import("./lib/build-steps.mjs");
  await build();
  const { hasAccounts, loadDemo, migrateAndSeed, openDatabase, warnOfRole } = await import("./lib/database.mjs");
  const database = await openDatabase();
  const baseUrl = PUBLIC_URL ?? `http://localhost:${PORT}`;
  const demo = options.has("--demo") ? true : options.has("--no-demo") ? false : undefined;
  await migrateAndSeed(database, { demo, seed: seeder(baseUrl) });
  const accounts = await loadDemo(database);
  const isEmpty = !accounts && !(await hasAccounts(database));
  await warnOfRole(database);

  const { serve } = await import("../build/server.mjs");
  const server = await serve().catch((error) => {
    throw error.code === "EADDRINUSE" ? portTaken("PORT", PORT) : error;
  });
  onEnd(() => {
    say("Stopping: waiting for requests in progress");
    return server.stop();
  });
  stopsBySignal();
  for (const warning of warnings) say(`\n! ${warning}`);
  say(`\nCrosswalk is at ${baseUrl}\n${isEmpty ? HOW_TO_SET_UP : howToSignIn(accounts)}Press Ctrl-C to stop.\n`);
});

/** Returns the function that writes the demo, or null if this build has none. */
function seeder(baseUrl) {
  if (!fs.existsSync(inRoot("build/seed-demo.mjs"))) return null;
  return async () => {
    setDemoSettings();
    const { seedDemo } = await import("../build/seed-demo.mjs");
    await seedDemo({ baseUrl });
  };
}

function howToSignIn(accounts) {
  if (!accounts) return "";
  const { file, clients, staff } = accounts;
  const lines = [`Demo accounts are in ${file}`];
  if (staff?.[0]) lines.push(`  staff account ${staff[0].email}, password in that file`);
  if (clients[0]) lines.push(`  API client ${clients[0].client_id}, secret in that file`);
  return `${lines.join("\n")}\n`;
}
