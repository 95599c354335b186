// npm run build: builds everything that `npm start` would build.
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main } from "./lib/lifetime.mjs";
import { UsageFailure } from "./lib/progress.mjs";
import { loadSettings } from "./lib/settings.mjs";

await main(async () => {
  if (process.argv.length > 2) throw new UsageFailure("npm run build takes no arguments");
  await install();
  loadSettings({ nodeEnv: "production" });
  const { build } = await import("./lib/build-steps.mjs");
  await build();
  return 0;
});
