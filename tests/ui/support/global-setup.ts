// Starts the server for the tests like `npm start`, with a demo, in a temporary folder.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { cleanUp, startCrosswalk, temporaryDataDir } from "@/tests/support/processes";

/** Starts a server, unless UI_BASE and UI_DEMO name a running server and its demo.json. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.UI_BASE) return;
  const dataDir = temporaryDataDir();
  const port = await freePort();
  const settings = {
    CROSSWALK_DATA_DIR: dataDir,
    PORT: String(port),
    WRONG_PASSWORD_LIMIT: "5",
    // Longer than any test: a failed event stays failed until the test redelivers it.
    WEBHOOK_FIRST_RETRY_MS: "3600000",
  };
  const server = startCrosswalk(settings, { demo: true });
  try {
    await server.printed("Press Ctrl-C to stop");
    process.env.UI_PRACTICES = await addPractices(settings);
  } catch (error) {
    await cleanUp(dataDir);
    throw error;
  }
  process.env.UI_BASE = `http://localhost:${port}`;
  process.env.UI_DEMO = path.join(dataDir, "demo.json");
  return async () => {
    server.child.kill("SIGTERM");
    await server.exited;
    await cleanUp(dataDir);
  };
}

/** Adds the practices that only one file of tests changes. @returns their IDs, separated by a space */
async function addPractices(settings: Record<string, string>): Promise<string> {
  const program = ["scripts/run.mjs", "tests/ui/support/add-practices.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, program, { env: { ...process.env, ...settings } });
  const ids = /^practices ([\d ]+)$/m.exec(stdout)?.[1];
  if (!ids) throw new Error(`no practices were added: ${stdout}`);
  return ids;
}
