// npm run dev: plain `next dev`, with the database and the settings of `npm start`.
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, run, stopsBySignal } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { checkSettings, loadSettings } from "./lib/settings.mjs";

await main(async () => {
  await install();
  loadSettings({ nodeEnv: "development" });
  const { PORT, HOST } = await checkSettings();
  const { generate } = await import("./lib/build-steps.mjs");
  await generate();
  const { migrate, openDatabase } = await import("./lib/database.mjs");
  const { url } = await openDatabase();
  await migrate(url);
  const next = inRoot("node_modules/next/dist/bin/next");
  const args = ["dev", "--port", String(PORT), "--hostname", HOST, ...process.argv.slice(2)];
  // next-auth's own address: the setting's, or that of the request.
  if (process.env.PUBLIC_URL) process.env.NEXTAUTH_URL = process.env.PUBLIC_URL;
  else process.env.AUTH_TRUST_HOST = "1";
  stopsBySignal();
  const { code } = await run(process.execPath, [next, ...args], { cwd: ROOT });
  return code;
});
