// deploy/compose.sh with a stand-in for Docker, which writes down its calls: which steps follow each other, and which don't after a failure.
// deploy/README.md says what was tried with Docker itself.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inRoot } from "@/scripts/lib/paths.mjs";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-compose-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs a command of compose.sh. `answers` has, by the start of a call of Docker, what it prints and its exit code. */
function run(args: string[], answers: Record<string, { prints?: string; code?: number }> = {}) {
  const calls = path.join(folder, "calls");
  const cases = Object.entries(answers).map(
    ([call, { prints = "", code = 0 }]) => `"${call}"*) printf '%s\\n' '${prints}'; exit ${code} ;;`,
  );
  const docker = `#!/bin/sh\necho "$*" >>'${calls}'\ncase "$*" in\n${cases.join("\n")}\n*) exit 0 ;;\nesac\n`;
  fs.writeFileSync(path.join(folder, "docker"), docker, { mode: 0o700 });
  fs.rmSync(calls, { force: true });
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { status, stderr } = spawnSync(inRoot("deploy/compose.sh"), args, { env, cwd: folder, encoding: "utf8" });
  const made = fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").trimEnd().split("\n") : [];
  return { status, stderr, calls: made };
}

const RUNS = {
  "image inspect": { prints: "sha256:new" },
  "compose ps": { prints: "worker-1" },
  "inspect --format": { prints: "sha256:old" },
};
const REPLACED = ["web-1", "web-2", "worker"].map(
  (service) => `compose up --detach --no-build --no-deps --wait ${service}`,
);

describe("an upgrade", () => {
  test("keeps the previous image, and replaces one service after the other once the migrations are applied", () => {
    const { status, calls } = run(["upgrade"], RUNS);
    expect(status).toBe(0);
    expect(calls.slice(-5)).toEqual([
      "tag sha256:old crosswalk:previous",
      "compose run --rm --no-deps migrate",
      ...REPLACED,
    ]);
  });

  test.each(["compose build", "compose run", "compose up --detach --no-build --no-deps --wait web-1"])(
    "stops if %s fails",
    (call) => {
      const { status, calls } = run(["upgrade"], { ...RUNS, [call]: { code: 1 } });
      expect(status).not.toBe(0);
      expect(calls.at(-1)).toMatch(new RegExp(`^${call}`));
    },
  );

  test("that is repeated does not lose the previous image", () => {
    const { calls } = run(["upgrade"], { ...RUNS, "inspect --format": { prints: "sha256:new" } });
    expect(calls.some((call) => call.startsWith("tag"))).toBe(false);
  });

  test("can be undone, without the migrations of the previous version", () => {
    expect(run(["go-back"]).calls).toEqual([
      "image inspect crosswalk:previous",
      "tag crosswalk:previous crosswalk:0.1.0",
      ...REPLACED,
    ]);
    const none = run(["go-back"], { "image inspect": { code: 1 } });
    expect([none.status, none.stderr]).toEqual([1, "compose.sh: There is no previous version.\n"]);
  });
});

describe("a backup", () => {
  const isNew = { "volume inspect": { code: 1 } };

  test("has the database before the images, and can be restored once", () => {
    const { status, calls } = run(["backup", "today"], { "compose exec": { prints: "a dump" } });
    expect([status, calls.map((call) => call.split(" ").slice(0, 2).join(" "))]).toEqual([
      0,
      ["compose exec", "run --rm"],
    ]);
    expect(fs.readFileSync(path.join(folder, "today/crosswalk.dump"), "utf8")).toBe("a dump\n");
    expect(run(["backup", "today"])).toMatchObject({ status: 1, calls: [] });

    const restored = run(["restore", "today"], isNew);
    expect([restored.status, restored.stderr]).toEqual([0, ""]);
    expect(restored.calls.at(-1)).toBe(
      "compose run --rm --no-deps worker node scripts/run.mjs scripts/images.ts check",
    );
    expect(restored.calls.findIndex((call) => call.includes("pg_restore"))).toBe(3);
  });

  test.each(["compose exec", "run --rm"])("is incomplete if %s fails, and can't be restored", (call) => {
    expect(run(["backup", "today"], { [call]: { code: 1 } }).status).not.toBe(0);
    const { status, stderr, calls } = run(["restore", "today"], isNew);
    expect([status, stderr, calls]).toEqual([1, expect.stringContaining("has no complete backup"), []]);
  });

  test("is not restored over the data of an installation", () => {
    run(["backup", "today"]);
    const { status, stderr, calls } = run(["restore", "today"]);
    expect([status, calls]).toEqual([1, ["volume inspect crosswalk_postgres"]]);
    expect(stderr).toContain("The volume crosswalk_postgres has data already.");
  });
});

test("other arguments show the usage", () => {
  for (const args of [[], ["upgrade", "now"], ["backup"], ["restore"], ["help"]]) {
    expect(run(args)).toMatchObject({ status: 1, calls: [], stderr: expect.stringContaining("Usage: compose.sh") });
  }
});

test("its images and volumes are those of compose.yaml", () => {
  const script = fs.readFileSync(inRoot("deploy/compose.sh"), "utf8");
  const compose = fs.readFileSync(inRoot("deploy/compose.yaml"), "utf8");
  for (const [, image] of script.matchAll(/^(?:tar_)?image=(\S+)$/gm)) expect(compose).toContain(`image: ${image}\n`);
  for (const [, volume] of script.matchAll(/crosswalk_(\w+)/g)) expect(compose).toContain(`\n  ${volume}: {}\n`);
  expect(compose).toContain("\nname: crosswalk\n");
  expect(execFileSync("sh", ["-n", inRoot("deploy/compose.sh")], { encoding: "utf8" })).toBe("");
});
