// Finds Prometheus and promtool, which checks alert rules and metrics: the system's, or those of Debian's package.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { prepareTool, unpackPackages } from "../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const HOME = inRoot(".data/test-prometheus");

/** Returns the path of a program, or null if it is not available. */
function find(name) {
  const programs = [name, path.join(HOME, "root/usr/bin", name)];
  return programs.find((program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0) ?? null;
}

export const findPrometheus = () => find("prometheus");
export const findPromtool = () => find("promtool");

/**
 * Fetches both programs unless they are available.
 * @returns {Promise<string | null>} why their tests are skipped, or null
 */
export function preparePrometheus() {
  return prepareTool(HOME, {
    title: "Fetching Prometheus for the tests of alerts",
    isAvailable: () => findPromtool() !== null && findPrometheus() !== null,
    fetch: () => unpackPackages(HOME, ["prometheus"], "Prometheus"),
  });
}
