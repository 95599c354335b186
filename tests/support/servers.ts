// Both servers of the product on the database of the test file: the built server, and plain `next dev`.
import { type ChildProcess, spawn } from "node:child_process";
import { freePort } from "@/scripts/lib/free-port.mjs";

export interface RunningServer {
  url: string;
  pid: number;
  /** The output since the start. */
  output: () => string;
  /** Stops it with SIGTERM, and returns its exit code. */
  stop: () => Promise<number | null>;
}

const COMMANDS = {
  production: (_port: number, program: string) => [program],
  development: (port: number) => ["node_modules/next/dist/bin/next", "dev", "-p", String(port), "-H", "127.0.0.1"],
};

/**
 * Starts a server with these additional settings, on a free port unless they name one, and waits until it responds.
 *
 * @param program the built server, of this version by default
 */
export async function startServer(
  kind: keyof typeof COMMANDS,
  settings: Record<string, string> = {},
  program = "build/server.mjs",
): Promise<RunningServer> {
  const port = Number(settings.PORT ?? (await freePort()));
  const url = `http://127.0.0.1:${port}`;
  const own = {
    NODE_ENV: kind,
    PORT: String(port),
    HOST: "127.0.0.1",
    PUBLIC_URL: url,
    NODE_OPTIONS: "",
    CROSSWALK_PRELOAD_PAGES: "false",
  };
  const env = { ...process.env, ...own, ...settings };
  const child = spawn(process.execPath, COMMANDS[kind](port, program), {
    env: env as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  await waitForResponse(child, `${url}/api/2.0/practices`, () => output);
  return { url, pid: child.pid as number, output: () => output, stop: () => stop(child) };
}

async function waitForResponse(child: ChildProcess, url: string, output: () => string): Promise<void> {
  for (let wait = 0; wait < 600; wait++) {
    if (child.exitCode !== null) throw new Error(`the server ended:\n${output()}`);
    const hasResponse = await fetch(url).then(
      () => true,
      () => false,
    );
    if (hasResponse) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill("SIGKILL");
  throw new Error(`the server does not respond:\n${output()}`);
}

function stop(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => child.kill("SIGKILL"), 30_000);
    child.once("close", (code) => {
      clearTimeout(limit);
      resolve(code);
    });
    child.kill("SIGTERM");
  });
}
