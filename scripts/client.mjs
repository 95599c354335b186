// npm run client [-- FILE.d.ts | FILE.json]: generates TypeScript types of the API or a Postman collection from its OpenAPI document. Needs
// no server.
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { ROOT } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";

await main(async () => {
  if (process.argv.length > 3) throw new UsageFailure("Usage: npm run client [-- FILE.d.ts | FILE.json]");
  await install();
  const { nodeArguments } = await import("./lib/programs.mjs");
  const program = await nodeArguments("scripts/write-client.ts");
  const { code } = await run(process.execPath, [...program, ...process.argv.slice(2)], { cwd: ROOT });
  return code;
});
