import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A program of scripts/ that runs in its own process: a bundle, or its source and the module that compiles it. */
export interface ProgramFile {
  file: string;
  compiler: string | null;
}

const chosen = new Map<string, string>();

/** Sets the bundle of a program, for tests, which run from the sources but start programs often. */
export function chooseProgram(name: string, file: string): void {
  chosen.set(name, file);
}

/** Returns the bundle next to the current one, or the source if the current module is not bundled. */
export function programFile(name: string): ProgramFile {
  const here = fileURLToPath(import.meta.url);
  const bundle = chosen.get(name) ?? (here.endsWith(".mjs") ? path.join(path.dirname(here), `${name}.mjs`) : null);
  if (bundle !== null) return { file: bundle, compiler: null };
  const root = path.resolve(path.dirname(here), "../../..");
  const compiler = createRequire(path.join(root, "package.json")).resolve("tsx/esm/api").replace(/cjs$/, "mjs");
  return { file: path.join(root, `scripts/${name}.ts`), compiler };
}

/** Returns the arguments for `new Worker`. */
export function workerProgram(name: string): [program: string, options: { eval: boolean }] {
  const { file, compiler } = programFile(name);
  if (compiler === null) return [file, { eval: false }];
  const [first, then] = [compiler, file].map((one) => pathToFileURL(one).href);
  const code = `import(${JSON.stringify(first)}).then(({ register }) => { register(); return import(${JSON.stringify(then)}); });`;
  return [code, { eval: true }];
}
