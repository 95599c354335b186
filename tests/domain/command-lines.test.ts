// The command line of every program: usage errors exit with 2, other failures do not.
import { describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { seedBasics } from "../support/api";
import { runScript } from "../support/run-script";

const UNREACHABLE = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" };

describe("usage errors exit with 2, say what is wrong and do nothing:", () => {
  test.concurrent.each<[file: string, args: string, says: string]>([
    ["practice.ts", "", "Usage:"],
    ["practice.ts", "__proto__ --practice 1", '"__proto__" is not a command'],
    ["practice.ts", "show all --practice 1", '"all" is an unexpected argument'],
    ["practice.ts", "show --practice 1 --mode enforce", "--mode is not an option of show"],
    ["practice.ts", "show", "--practice must be an ID"],
    ["practice.ts", "show --practice 999999", "--practice: No such practice."],
    ["practice.ts", "add --practice 1 --npi 1558300016", "--npi is not an option of add"],
    ["practice.ts", "add-physician --practice 1 --mode enforce", "--mode is not an option of add-physician"],
    ["webhooks.ts", "toString", '"toString" is not a command'],
    ["webhooks.ts", "status all", '"all" is an unexpected argument'],
    ["webhooks.ts", "attempts 1 2", '"2" is an unexpected argument'],
    ["webhooks.ts", "resume 1 2", '"2" is an unexpected argument'],
    ["webhooks.ts", "retry", "Either EVENT_ID or --failed-since is required"],
    ["webhooks.ts", "retry 1 --subscription 2", "--subscription requires --failed-since"],
    ["worker.ts", "now", "takes no arguments"],
    ["migrate.mjs", "status now", "Usage:"],
    ["migrate.mjs", "new one two", "Usage:"],
    ["migrate.mjs", "__proto__", "Usage:"],
    ["build.mjs", "all", "takes no arguments"],
    ["start.mjs", "now", "unknown option now"],
    ["run.mjs", "", "Usage:"],
  ])("%s %s", async (file, args, says) => {
    const { code, stdout, stderr } = await runScript(file, args.split(" ").filter(Boolean));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  });
});

test.concurrent.each([
  ["practice.ts", ["show", "--practice", "1"]],
  ["webhooks.ts", ["status"]],
  ["images.ts", ["check"]],
  ["load.ts", ["languages", "package.json"]],
])("%s: an unreachable database exits with 1 and the reason", async (file, args) => {
  const { code, stderr } = await runScript(file, args, UNREACHABLE);
  expect([code, stderr]).toEqual([1, expect.stringContaining("can't be reached: nothing listens there")]);
});

test("`webhooks retry` names each event that it can't redeliver, and exits with 1", async () => {
  const { code, stdout } = await runScript("webhooks.ts", ["retry", "999998", "999999"]);
  expect(code).toBe(1);
  for (const id of [999998, 999999]) expect(stdout).toContain(`${id}: no failed event with this ID`);
  expect(stdout).toContain("0 events will be retried");
});

test("ending a rehearsal in enforce mode reports what then applies for real, and from when", async () => {
  const { enabled } = await seedBasics();
  const clock = async (...args: string[]) =>
    (await runScript("practice.ts", ["clock", "--practice", String(enabled), ...args])).stdout;
  expect(await clock("--mode", "enforce", "--rehearse", "2025-11-01T00:00:00Z")).not.toContain("for real");
  expect(await clock("--end-rehearsal")).toContain(
    "the mode is still enforce: writes with legacy insurances are rejected, because the deprecation date 2025-10-31 has passed",
  );
  expect(await clock("--date", "2999-01-01", "--end-rehearsal")).toContain(
    "the mode is still enforce: writes with legacy insurances will be rejected from 2999-01-01T00:00:00Z",
  );
  expect(await clock("--mode", "announce", "--end-rehearsal")).not.toContain("for real");
  const rows = await db.rows(sql`SELECT deprecation_mode, rehearsal_time FROM practice WHERE id = ${enabled}`);
  expect(rows).toEqual([{ deprecation_mode: "announce", rehearsal_time: null }]);
});

test("`npx crosswalk` describes each command as the command itself does", async () => {
  const { stdout } = await runScript("crosswalk.mjs", ["--help"]);
  const commands = [...stdout.matchAll(/npx crosswalk (\w+)/g)].map(([, name]) => name);
  expect(commands).toEqual(["setup", "check", "convert", "verify", "rollback", "report", "listen"]);
  for (const command of commands) {
    const { stderr } = await runScript(`crosswalk-${command}.ts`, ["--nope"]);
    expect(stdout).toContain(`  ${/Usage: (.+)/.exec(stderr)?.[1]}\n`);
  }
});
