// `npx crosswalk setup` and `npm run practice -- add|add-physician` as operators see them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyPassword } from "@/lib/access/staff/passwords";
import { listStaffUsers } from "@/lib/access/staff/queries";
import { db, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { programOf } from "@/scripts/lib/programs.mjs";
import { type Basics, seedBasics } from "../support/api";
import { historyOf } from "../support/history";
import { runScript } from "../support/run-script";
import { type RunningServer, startServer } from "../support/servers";
import { Browser } from "../support/sign-in";
import { signInAs, staffCallAs } from "../support/staff";

const PASSWORD = "correct horse battery";
const hasTerminal = spawnSync("script", ["--version"]).status === 0;
if (!hasTerminal) console.warn("skipped: passwords typed on a terminal, because util-linux is not installed");

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
});

const argsFor = (organization: string, admin = "Mia@Example.org") => [
  ...["--organization", organization, "--practice", "Lakeside Pediatrics", "--admin", admin],
];
const setUp = (args: readonly string[], input = `${PASSWORD}\n`) => runScript("crosswalk-setup.ts", args, {}, input);

const countRows = () =>
  db.one(sql`
    SELECT (SELECT count(*) FROM organization) AS organizations, (SELECT count(*) FROM practice) AS practices,
      (SELECT count(*) FROM staff_user) AS users, (SELECT count(*) FROM record_version) AS versions,
      (SELECT count(*) FROM audit_pending) + (SELECT count(*) FROM audit_entry) AS audited`);

test("creates an organization, a practice and an admin, with versions and an audit entry by the command line", async () => {
  const { code, stdout, stderr } = await setUp([
    ...argsFor("Lakeside Health"),
    ...["--admin-name", "Mia Lind", "--timezone", "America/Chicago", "--json"],
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  const { event, organization, practice, admin } = JSON.parse(stdout);
  expect(event).toBe("created");
  const [user] = await listStaffUsers("mia@example.org");
  expect(user).toMatchObject({
    id: admin,
    organization_id: organization,
    organization: "Lakeside Health",
    email: "mia@example.org",
    name: "Mia Lind",
    role: "admin",
    practices: [practice],
  });
  expect(await verifyPassword(PASSWORD, user?.password_hash ?? "")).toBe(true);
  const stored = await db.one(sql`SELECT name, timezone, organization_id FROM practice WHERE id = ${practice}`);
  const expected = { name: "Lakeside Pediatrics", timezone: "America/Chicago" };
  expect(stored).toEqual({ ...expected, organization_id: organization });
  expect(await historyOf("practice", practice)).toMatchObject([{ version: 1, kind: "created", source: "staff" }]);
  expect(await historyOf("staff_user", admin)).toMatchObject([{ version: 1, kind: "created", source: "staff" }]);
  const actors = await db.rows(
    sql`SELECT DISTINCT actor->>'name' AS name FROM record_version WHERE practice_id = ${practice}`,
  );
  expect(actors).toEqual([{ name: "Command line" }]);
  const audited = await db.rows(sql`
    SELECT operation, actor_type, actor_name FROM audit_pending WHERE practice_id = ${practice}
    UNION ALL SELECT operation, actor_type, actor_name FROM audit_entry WHERE practice_id = ${practice}`);
  expect(audited).toEqual([{ operation: "member.added", actor_type: "system", actor_name: "Command line" }]);
});

describe("errors are one line with exit code 2, and nothing is created:", () => {
  const cases: [what: string, args: string[], message: string, input?: string][] = [
    ["no option", [], "--organization: This field is required. --practice: This field is required. --admin: This"],
    ["an empty name", argsFor("  "), "--organization: "],
    ["an invalid address", argsFor("Wharf", "mia"), "--admin: Must be an email address."],
    ["an unknown time zone", [...argsFor("Wharf"), "--timezone", "Mars/Olympus"], "--timezone: Must be a time zone"],
    ["an argument", [...argsFor("Wharf"), "now"], '"now" is an unexpected argument'],
    ["a password as an option", [...argsFor("Wharf"), "--password", PASSWORD], "Unknown option '--password'"],
    ["no password", argsFor("Wharf"), "The password is empty", ""],
    ["a short password", argsFor("Wharf"), "The password: Must have at least 12 characters.", "short\n"],
    ["two lines", argsFor("Wharf"), "must hold one line", `${PASSWORD}\n${PASSWORD}\n`],
  ];
  test.each(cases)("%s", async (_what, args, message, input) => {
    const before = await countRows();
    const { code, stdout, stderr } = await setUp(args, input);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).not.toContain(PASSWORD);
    expect(await countRows()).toEqual(before);
  });

  test("an organization that exists, even if two commands create it at once", async () => {
    const results = await Promise.all([setUp(argsFor("Twice Health")), setUp(argsFor("Twice Health"))]);
    expect(results.map(({ code }) => code).sort()).toEqual([0, 2]);
    const before = await countRows();
    const { code, stderr } = await setUp(argsFor("Twice Health", "other@example.org"));
    expect(code).toBe(2);
    expect(stderr).toBe("✗ --organization: An organization named Twice Health already exists.\n");
    expect(await countRows()).toEqual(before);
  });
});

test("a dry run checks everything and creates nothing", async () => {
  const before = await countRows();
  const { code, stdout } = await setUp([...argsFor("Dry Health"), "--dry-run"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("Dry run: nothing was created.")]);
  expect(await countRows()).toEqual(before);
  expect((await setUp([...argsFor("Dry Health"), "--dry-run"], "short")).code).toBe(2);
});

describe.skipIf(!hasTerminal)("on a terminal, the password", () => {
  /** Runs the command on a pseudo-terminal, and answers each prompt with the next of these keys. */
  async function onTerminal(organization: string, ...answers: string[]) {
    const words = [process.execPath, programOf("crosswalk-setup.ts"), ...argsFor(organization)];
    const command = words.map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
    let [output, unread] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      unread += text;
      if (!unread.endsWith(": ")) return;
      unread = "";
      child.stdin.write(answers.shift() ?? "");
    });
    const [code] = await once(child, "close");
    return { code, output };
  }

  test("is asked for twice and never shown", async () => {
    const { code, output } = await onTerminal("Terminal Health", `${PASSWORD}\r`, `${PASSWORD}\r`);
    expect([code, output]).toEqual([0, expect.stringContaining("Created Terminal Health")]);
    expect(output).toContain("Password of mia@example.org: ");
    expect(output).not.toContain(PASSWORD);
  });

  test("must be the same both times, and Ctrl-C ends the command", async () => {
    const before = await countRows();
    const differing = await onTerminal("Terminal Two", `${PASSWORD}\r`, `${PASSWORD}!\r`);
    expect([differing.code, differing.output]).toEqual([2, expect.stringContaining("The passwords differ.")]);
    expect((await onTerminal("Terminal Two", "correct \x03")).code).toBe(130);
    expect(await countRows()).toEqual(before);
  });
});

describe("over HTTP", () => {
  let server: RunningServer | undefined;
  beforeAll(async () => {
    await build();
    server = await startServer("production");
  });
  afterAll(() => server?.stop());

  test("the new admin signs in, sees the practice and adds a member, and other passwords are rejected", async () => {
    const email = "first.admin@example.org";
    const { stdout } = await setUp([...argsFor("Harbor Health", email), "--json"]);
    const { practice } = JSON.parse(stdout);
    const url = server?.url ?? "";
    expect((await new Browser(url).signIn(email, `${PASSWORD}!`)).error).toBe("CredentialsSignin");
    const browser = new Browser(url);
    expect((await browser.signIn(email, PASSWORD)).error).toBeNull();
    const page = await browser.send("GET", `/practices/${practice}/patients`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Lakeside Pediatrics")]);
    const member = { email: "second@example.org", name: "Noor Aziz", role: "staff", practices: [practice] };
    const added = await staffCallAs(browser.cookie, "POST", `practices/${practice}/members`, { body: member });
    expect(added.status).toBe(201);
  });
});

describe("add-physician", () => {
  const options = [
    "--first-name",
    "Oriel",
    "--last-name",
    "Vance",
    "--email",
    "oriel@example.org",
    "--npi",
    "1558300016",
  ];
  const license = ["--license", "ME-00016", "--license-state", "ME"];
  const add = (practice: number, ...args: string[]) =>
    runScript("practice.ts", ["add-physician", "--practice", String(practice), ...args]);

  test("adds a physician with a version", async () => {
    const { code, stdout } = await add(basics.enabled, ...options, ...license);
    expect(code).toBe(0);
    const id = Number(/physician (\d+)/.exec(stdout)?.[1]);
    const row = await db.one(sql`SELECT practice_id, last_name, license_state FROM physician WHERE id = ${id}`);
    expect(row).toEqual({ practice_id: basics.enabled, last_name: "Vance", license_state: "ME" });
    expect(await historyOf("physician", id)).toMatchObject([{ version: 1, kind: "created", source: "staff" }]);
  });

  test("names the options that are missing or invalid", async () => {
    const { code, stderr } = await add(basics.enabled, ...options, "--license", " ");
    expect(code).toBe(2);
    expect(stderr).toContain("--license: ");
    expect(stderr).toContain("--license-state: This field is required.");
    expect((await add(999_999, ...options, ...license)).stderr).toContain("--practice: No such practice.");
  });
});

describe("add", () => {
  const add = (...args: string[]) =>
    runScript("practice.ts", ["add", "--practice", String(basics.enabled), "--timezone", "America/Chicago", ...args]);

  test("adds a practice to the organization, with the same admins", async () => {
    const admin = await signInAs("admin", [basics.enabled]);
    await signInAs("viewer", [basics.enabled]);
    const { email } = admin;
    const { code, stdout, stderr } = await add("--name", " Lakeside North ");
    expect([code, stderr]).toEqual([0, ""]);
    const id = Number(/practice (\d+)/.exec(stdout)?.[1]);
    expect(stdout).toBe(
      `Added Lakeside North, practice ${id}. It has the same admins as Northside Family Medicine: ${email}.\n`,
    );
    expect(await db.one(sql`SELECT organization_id, name, timezone FROM practice WHERE id = ${id}`)).toEqual({
      organization_id: basics.organization,
      name: "Lakeside North",
      timezone: "America/Chicago",
    });
    expect(await historyOf("practice", id)).toMatchObject([{ version: 1, kind: "created", source: "staff" }]);
    expect((await historyOf("staff_user", admin.userId)).at(-1)).toMatchObject({
      version: 2,
      changes: { practices: { old: [basics.enabled], new: [basics.enabled, id] } },
    });
    expect(await staffCallAs(admin, "GET", `practices/${id}/members`)).toMatchObject({
      status: 200,
      body: { members: [{ email }] },
    });
    const audited = sql`SELECT actor_name FROM audit_log WHERE practice_id = ${id} AND operation = 'member.added'`;
    expect(await db.rows(audited)).toEqual([{ actor_name: "Command line" }]);
  });

  test("names the options that are missing or invalid, and adds nothing", async () => {
    const before = await countRows();
    expect(await add()).toMatchObject({ code: 2, stderr: expect.stringContaining("--name: This field is required.") });
    const { stderr } = await add("--name", "Lakeside South", "--timezone", "Lakeside");
    expect(stderr).toContain("--timezone: Must be a time zone such as America/New_York.");
    expect(await countRows()).toEqual(before);
  });
});
