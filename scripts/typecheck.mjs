// npm run typecheck: generates what the type checker needs, and runs it. Works in a fresh checkout.
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";

await main(async () => {
  process.chdir(ROOT);
  await install();
  const { generate, generateNextTypes } = await import("./lib/build-steps.mjs");
  await generate();
  await generateNextTypes();
  const tsc = inRoot("node_modules/typescript-7/bin/tsc");
  return (await run(process.execPath, [tsc, "--noEmit", ...process.argv.slice(2)])).code;
});
