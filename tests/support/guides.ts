// Runs the guides in docs/guides/ as readers do: fenced blocks in order, compared with the output they show.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export const ROOT = path.resolve(import.meta.dirname, "../..");

export interface Block {
  language: string;
  text: string;
  /** The line of the file where the block's text begins. */
  line: number;
}

/** Lists the fenced blocks of a guide, in order. */
export function readGuide(name: string): Block[] {
  const text = fs.readFileSync(path.join(ROOT, "docs/guides", name), "utf8");
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = "", 2: content = "" }) => ({
    language,
    text: content,
    line: text.slice(0, index).split("\n").length + 1,
  }));
}

/** Returns the only block of a language that contains a string. */
export function blockOf(blocks: readonly Block[], language: string, part = ""): string {
  const found = blocks.filter((block) => block.language === language && block.text.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} ${language} blocks contain "${part}"`);
  return (found[0] as Block).text;
}

export interface Step {
  title: string;
  commands: string;
  /** The block after the commands, which shows their expected output. */
  expected: Block | null;
}

/** Lists the commands of a guide, each with its expected output: an `http` or `output` block that follows. */
export function stepsOf(blocks: readonly Block[]): Step[] {
  return blocks.flatMap(({ language, text, line }, at) => {
    if (language !== "sh") return [];
    const next = blocks[at + 1];
    const expected = next && /^(http|output)$/.test(next.language) ? next : null;
    return [{ title: `line ${line}: ${text.trim().split("\n").at(-1)?.slice(0, 80)}`, commands: text, expected }];
  });
}

/** Replaces the values in `NAME=value` lines with the reader's own. */
export function withSettings(commands: string, settings: Record<string, string | number>): string {
  return commands.replaceAll(/^([A-Z_]+)=[^\s#$]+(?=\s|$)/gm, (line, name: string) =>
    Object.hasOwn(settings, name) ? `${name}='${settings[name]}'` : line,
  );
}

/** Starts a reader's bash in a separate folder, with the project's commands available. */
export class Shell {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-guide-"));
  readonly #bash: ChildProcess;
  #output = "";
  #look = () => {};

  /** Provides the project's `npx tsx`, `npx crosswalk` and `npm run`, and runs `python3` as `python`. */
  constructor(python: { command: string; env: Record<string, string> } | null = null) {
    const bin = path.join(this.folder, "bin");
    fs.mkdirSync(bin);
    const loader = path.join(ROOT, "node_modules/tsx/dist/loader.mjs");
    const pythonSettings = Object.entries(python?.env ?? {}).map(([name, value]) => `${name}='${value}' `);
    // `exec` replaces the shell, so that a signal reaches the program itself.
    const programs = {
      npx: `[ "$1" != crosswalk ] || exec '${process.execPath}' '${ROOT}/scripts/crosswalk.mjs' "\${@:2}"
while [ "$1" != tsx ]; do shift; done; exec '${process.execPath}' --import '${loader}' "\${@:2}"`,
      npm: `PATH=\${PATH#*:} exec npm --prefix '${ROOT}' "$@"`,
      python3: `PATH=\${PATH#*:} ${pythonSettings.join("")}exec '${python?.command ?? "python3"}' "$@"`,
    };
    for (const [name, command] of Object.entries(programs))
      fs.writeFileSync(path.join(bin, name), `#!/bin/bash\n${command}\n`, { mode: 0o755 });
    this.#bash = spawn("bash", ["--noprofile", "--norc"], {
      cwd: this.folder,
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        this.#look();
      });
    }
    this.#bash.on("close", () => this.#look());
  }

  /** Runs commands after the earlier ones in the same shell, and returns their output. */
  async run(commands: string): Promise<string> {
    const mark = `-- done ${Math.random()} --`;
    this.#output = "";
    this.#bash.stdin?.write(`${commands}\nprintf '\\n%s\\n' '${mark}'\n`);
    await new Promise<void>((resolve, reject) => {
      this.#look = () => {
        if (this.#output.includes(mark)) resolve();
        else if (this.#bash.exitCode !== null) reject(new Error(`bash ended:\n${this.#output}`));
      };
      this.#look();
    });
    return (this.#output.split(mark)[0] as string).replace(/\n$/, "");
  }

  /** Kills the shell and everything it started. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#bash.once("close", resolve));
    process.kill(-(this.#bash.pid as number), "SIGKILL");
    await ended;
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

const ABSENT = "(none)";
const ANYTHING = "…";
/** Names of numbers that differ between installations. */
const INSTALLATION_SPECIFIC = /^(id|patient|policy|practice|patient_insurance|\w+_id)$/;

/** Lists the differences between an output and a block; empty if they match. */
export function differences(output: string, expected: Block): string[] {
  if (expected.language === "output") {
    const lines = expected.text.trim().split("\n");
    return lines.filter((line) => !output.includes(line)).map((line) => `"${line}" is not in ${output}`);
  }
  const [head = "", body = ""] = expected.text.trim().split(/\n\n/);
  const [status = "", ...headers] = head.split("\n");
  const responses = output.split(/(?=HTTP\/1\.1 \d{3})/).filter((text) => text.startsWith("HTTP/1.1"));
  const last = responses.at(-1);
  if (!last) return [`no response in ${output}`];
  const [gotHead = "", gotBody = ""] = last.split(/\r\n\r\n/);
  const wrongStatus = responses.filter((text) => !text.startsWith(`${status}\r\n`));
  return [
    ...wrongStatus.map((text) => `${status}, but got ${text}`),
    ...headers.flatMap((line) => headerDifferences(line, gotHead)),
    ...(body === "" ? [] : jsonDifferences(JSON.parse(body), gotBody === "" ? undefined : JSON.parse(gotBody), "")),
  ];
}

function headerDifferences(line: string, head: string): string[] {
  const [name = "", wanted = ""] = line.split(/: (.*)/);
  const found = head.split("\r\n").find((text) => text.toLowerCase().startsWith(`${name}: `));
  const got = found?.split(/: (.*)/)[1] ?? ABSENT;
  // The address and the IDs are those of this server and database.
  const plain = (text: string) =>
    text.includes("://") ? text.replace(/https?:\/\/[^/]+/, "").replaceAll(/\d+/g, "#") : text;
  return plain(got) === plain(wanted) ? [] : [`${name}: ${wanted}, but got ${got}`];
}

/** Lists values of the block that are missing from the response. Guides shorten responses, so extra values are allowed. */
function jsonDifferences(wanted: unknown, got: unknown, at: string): string[] {
  const differs = [`${at || "body"}: ${JSON.stringify(wanted)}, but got ${JSON.stringify(got)}`];
  if (wanted === ABSENT) return got === undefined ? [] : differs;
  if (wanted === ANYTHING) return typeof got === "string" && got !== "" ? [] : differs;
  if (typeof wanted === "number" && INSTALLATION_SPECIFIC.test(at.split(".").at(-1) ?? ""))
    return typeof got === "number" ? [] : differs;
  if (wanted === null || typeof wanted !== "object") return wanted === got ? [] : differs;
  if (got === null || typeof got !== "object" || Array.isArray(wanted) !== Array.isArray(got)) return differs;
  if (Array.isArray(wanted) && wanted.length !== (got as unknown[]).length) return differs;
  return Object.entries(wanted).flatMap(([key, value]) =>
    jsonDifferences(value, (got as Record<string, unknown>)[key], at ? `${at}.${key}` : key),
  );
}
