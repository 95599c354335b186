// Starts what the tests visit: the server as `npm start` starts it, with a demo, in a folder that goes with it.
import path from "node:path";
import { cleanUp, freePort, startCrosswalk, temporaryDataDir } from "@/tests/support/processes";

/** UI_BASE and UI_DEMO name a server that runs already and its demo.json. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.UI_BASE) return;
  const dataDir = temporaryDataDir();
  const port = await freePort();
  const settings = { CROSSWALK_DATA_DIR: dataDir, PORT: String(port), WRONG_PASSWORD_LIMIT: "5" };
  const server = startCrosswalk(settings, { demo: true });
  try {
    await server.printed("Ctrl-C stops it");
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
