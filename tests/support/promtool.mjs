// Finds promtool, which checks alert rules and metrics: the system's, or that of Debian's package of Prometheus.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { prepareTool, unpackPackages } from "../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const HOME = inRoot(".data/test-prometheus");
const PROGRAMS = ["promtool", path.join(HOME, "root/usr/bin/promtool")];

/** Returns the program, or null if it is not available. */
export function findPromtool() {
  return PROGRAMS.find((program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0) ?? null;
}

/**
 * Fetches promtool unless it is available.
 * @returns {Promise<string | null>} why its tests are skipped, or null
 */
export function preparePromtool() {
  return prepareTool(HOME, {
    title: "Fetching Prometheus for the tests of alerts",
    isAvailable: () => findPromtool() !== null,
    fetch: () => unpackPackages(HOME, ["prometheus"], "Prometheus"),
  });
}
