// npm run typecheck: the type checker, with what it needs made first, also on a fresh checkout.
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
