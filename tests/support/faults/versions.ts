// Two versions of the servers and workers, with a migration between them, run side by side.
import path from "node:path";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { bundleNextVersion, NEXT_COLUMN, NEXT_MIGRATION, NEXT_TABLES, nextMigrations } from "../next-version";
import { asOwner } from "./databases";
import { readEnvironment } from "./environment";
import { until } from "./until";
import type { Fault, FaultContext } from "./world";

const READY_MS = 60_000;
const ROUND = 4;

/** Replaces the second server and worker, and waits until the server is ready. */
async function replaceSecond({ cluster }: FaultContext, folder: string): Promise<void> {
  for (const kind of ["server", "worker"] as const) {
    const program = cluster.programs.get(`${kind === "server" ? "web" : "worker"}-2`);
    const earlier = program?.pid;
    program?.restartWith([inRoot(folder, `${kind}.mjs`)]);
    await until(() => program?.pid !== earlier, READY_MS);
    if (kind === "worker") continue;
    const { PORT } = readEnvironment(program?.pid);
    const isReady = () =>
      fetch(`http://127.0.0.1:${PORT}/readyz`)
        .then(({ ok }) => ok)
        .catch(() => false);
    await until(isReady, READY_MS);
  }
}

/** Half of an upgrade, which is then taken back. */
export const runTwoVersions: Fault = {
  async inject(context) {
    const next = path.dirname(await bundleNextVersion());
    await deploy(context.cluster.databases.url("crosswalk"), nextMigrations());
    try {
      await replaceSecond(context, next);
      await context.untilWritten(2 * ROUND);
    } finally {
      await replaceSecond(context, "build");
      await asOwner(context, async (owner) => {
        for (const table of NEXT_TABLES) await owner.query(`ALTER TABLE ${table} DROP COLUMN ${NEXT_COLUMN}`);
        await owner.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [NEXT_MIGRATION]);
      });
    }
  },
};
