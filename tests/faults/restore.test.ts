// Follows docs/guides/backup.md: the data folder of a stopped installation is copied and started elsewhere. Every card
// image reads back and matches its hash, and `npm run images -- check` names exactly those that do not.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanUp, temporaryDataDir } from "../support/processes";

const IMAGES = 40;

let dataDir: string;
let restored: string;
beforeEach(() => {
  dataDir = temporaryDataDir();
  restored = temporaryDataDir();
});
afterEach(async () => {
  await cleanUp(dataDir);
  await cleanUp(restored);
});

/** Runs a program on the installation of a data folder, as npm does. */
function runOn(data: string, ...args: string[]) {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, NODE_ENV: "production" as const, LOG_LEVEL: "silent", CROSSWALK_DATA_DIR: data };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/run.mjs", ...args], {
    env,
    encoding: "utf8",
    // Vitest can't interrupt it.
    timeout: 300_000,
  });
  return { status, stdout, stderr };
}
const check = (data: string) => runOn(data, "scripts/images.ts", "check");

function imageFiles(data: string): string[] {
  const entries = fs.readdirSync(path.join(data, "images"), { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [])).sort();
}

test("a copy of the data folder has every image intact, and a damaged or missing one is named", () => {
  const seeded = runOn(dataDir, "tests/support/seed-images.ts", String(IMAGES));
  expect([seeded.status, seeded.stderr]).toEqual([0, expect.not.stringContaining("✗")]);
  // Owners and permissions stay, because PostgreSQL requires its folder unchanged.
  expect(spawnSync("cp", ["-a", dataDir, restored]).status).toBe(0);
  // The copy must work without the original.
  fs.rmSync(dataDir, { recursive: true });

  const first = check(restored);
  expect(first.stdout).toContain(`Images: ${IMAGES} known, ${IMAGES} match, 0 missing, 0 damaged`);
  expect(first.status).toBe(0);
  const files = imageFiles(restored);
  expect(files.length).toBe(IMAGES);

  const [damaged, missing] = [files[7] as string, files[30] as string];
  const bytes = fs.readFileSync(damaged);
  bytes[20] = (bytes[20] as number) ^ 1;
  fs.writeFileSync(damaged, bytes);
  fs.rmSync(missing);
  const second = check(restored);
  expect(second.stdout).toContain(`Images: ${IMAGES} known, ${IMAGES - 2} match, 1 missing, 1 damaged`);
  expect(second.status).toBe(1);
  const named = second.stdout.match(/^ {2}(missing|damaged) .*$/gm) ?? [];
  expect(named.map((line) => line.trim().split(/ +/).slice(0, 2)).sort()).toEqual([
    ["damaged", path.basename(damaged)],
    ["missing", path.basename(missing)],
  ]);
  for (const line of named) expect(line).toMatch(/ {2}(policy \d+|legacy card), patient \d+$/);
});
