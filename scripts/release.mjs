// npm run release -- FOLDER: writes what production runs to a new folder: bundles, pages, commands and the packages that they load.
import fs from "node:fs";
import path from "node:path";
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main } from "./lib/lifetime.mjs";
import { say, step, UsageFailure } from "./lib/progress.mjs";

const [folder, ...rest] = process.argv.slice(2);

await main(async () => {
  if (!folder || rest.length > 0) throw new UsageFailure("Usage: npm run release -- FOLDER");
  const target = path.resolve(folder);
  if (fs.existsSync(target) && fs.readdirSync(target).length > 0)
    throw new UsageFailure(`${target} is not empty. Name a new folder`);
  await install();
  const { build } = await import("./lib/build-steps.mjs");
  const { bundlePrograms } = await import("./lib/programs.mjs");
  await build();
  await bundlePrograms();
  const { writeRelease } = await import("./lib/release.mjs");
  await step("Copying what runs", () => writeRelease(target));
  say(`The release is in ${target}`);
  return 0;
});
