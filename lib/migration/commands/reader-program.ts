import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The program of the reading thread, scripts/read-export.ts, as `Worker` takes it. */
type ReaderProgram = [program: string, options: { eval: boolean }];

let chosen: string | null = null;

/** Names a bundle of the program, for a process that runs from the sources and starts many readers: tests. */
export function chooseReaderProgram(file: string): void {
  chosen = file;
}

/** Where the program is: bundled beside the bundle that asks, or among the sources, which the thread has to compile first. */
export function readerProgram(): ReaderProgram {
  const here = fileURLToPath(import.meta.url);
  if (chosen !== null || here.endsWith(".mjs")) {
    return [chosen ?? path.join(path.dirname(here), "read-export.mjs"), { eval: false }];
  }
  const root = path.resolve(path.dirname(here), "../../..");
  const compiler = createRequire(path.join(root, "package.json")).resolve("tsx/esm/api").replace(/cjs$/, "mjs");
  const [first, then] = [compiler, path.join(root, "scripts/read-export.ts")].map((file) => pathToFileURL(file).href);
  const code = `import(${JSON.stringify(first)}).then(({ register }) => { register(); return import(${JSON.stringify(then)}); });`;
  return [code, { eval: true }];
}
