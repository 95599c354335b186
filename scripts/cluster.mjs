// npm run cluster: a highly available installation on one machine, to try out what happens when its parts fail. Its data is deleted when it
// ends.
import "./lib/require-node.mjs";
import fs from "node:fs";
import { install } from "./lib/install.mjs";
import { main, onEnd, runQuietly, stopsBySignal } from "./lib/lifetime.mjs";
import { inData, inRoot, ROOT } from "./lib/paths.mjs";
import { requireFreePort } from "./lib/ports.mjs";
import { say, step, UsageFailure } from "./lib/progress.mjs";
import { checkSettings, loadSettings, setDemoSettings } from "./lib/settings.mjs";

await main(async () => {
  if (process.argv.length > 2) throw new UsageFailure("npm run cluster takes no arguments");
  process.chdir(ROOT);
  await install();
  loadSettings({ nodeEnv: "production" });
  const { PORT } = await checkSettings();
  await requireFreePort("PORT", PORT, "127.0.0.1");
  const { requireClusterPrograms } = await import("./lib/cluster/programs.mjs");
  await requireClusterPrograms("npm run cluster");
  const { build } = await import("./lib/build-steps.mjs");
  await build();

  const folder = inData(`cluster-${PORT}`);
  fs.rmSync(folder, { recursive: true, force: true });
  const { startCluster } = await import("./lib/cluster/cluster.mjs");
  setDemoSettings();
  stopsBySignal();
  const onStart = (stop) =>
    onEnd(async () => {
      say("Stopping");
      await stop();
      fs.rmSync(folder, { recursive: true, force: true });
    });
  const cluster = await startCluster({ folder, port: PORT, environment: process.env, prepare: writeDemo, onStart });
  say(await describe(cluster, folder));
});

/** Writes the demo in a process that ends, because the connections of this one would not survive a failover. */
async function writeDemo(settings) {
  const program = `
    const { seedDemo } = await import(${JSON.stringify(inRoot("build/seed-demo.mjs"))});
    await seedDemo({ baseUrl: process.env.PUBLIC_URL });
    process.exit();`;
  const env = { ...process.env, ...settings };
  await step("Writing the demo", () =>
    runQuietly("The demo", process.execPath, ["--input-type=module", "--eval", program], { env }),
  );
}

async function describe({ url, databases, programs, settings }, folder) {
  const members = (await databases.status()).map(({ name, role, port }) => [
    name,
    role,
    `127.0.0.1:${port}`,
    databases.postgresPid(name),
  ]);
  const others = [...programs].map(([name, { pid }]) => [name, "", "", pid]);
  const rows = [...members, ...others].map(
    ([name, role, place, pid]) => `  ${name.padEnd(10)} ${role.padEnd(13)} ${place.padEnd(16)} process ${pid}`,
  );
  return `
Crosswalk is at ${url}. The demo accounts are in ${settings.CROSSWALK_DATA_DIR}/demo.json

${rows.join("\n")}

Kill any of these processes (kill -9 PID) and see what happens: each is started again after a second. The logs are in ${folder}.
Press Ctrl-C to stop. The data is deleted then.
`;
}
