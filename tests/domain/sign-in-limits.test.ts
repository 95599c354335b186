// Limits on passwords: per account and address, per address, per account over all addresses, and on concurrent hashes.
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createStaffUser } from "@/lib/access/staff/commands";
import { DEVICE_DAYS, rememberDevice } from "@/lib/access/staff/known-devices";
import { decoyHash, hashing, hashPassword, setHashCost } from "@/lib/access/staff/passwords";
import { type SignInOutcome, signInWithPassword } from "@/lib/access/staff/sign-in-commands";
import { removeExpiredAttempts } from "@/lib/access/staff/throttle-commands";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics } from "../support/api";
import { hashCheaply } from "../support/cheap-hashes";
import { CHEAP_HASH, PASSWORD, signInAs } from "../support/staff";

Object.assign(process.env, {
  WRONG_PASSWORD_LIMIT: "2",
  WRONG_PASSWORD_ADDRESS_LIMIT: "4",
  WRONG_PASSWORD_ACCOUNT_LIMIT: "5",
});

let basics: Basics;
/** An account with a hash that is cheap to check: most tests only check whether a password is checked. */
let pattern: number;
beforeAll(async () => {
  basics = await seedBasics();
  pattern = (await signInAs("staff", [basics.enabled])).userId;
  await db.run(sql`UPDATE staff_user SET password_hash = ${CHEAP_HASH} WHERE id = ${pattern}`);
});
beforeEach(async () => {
  await db.run(sql`DELETE FROM failed_sign_in`);
});

let made = 0;
/** Returns the email address of a new account. */
async function createAccount(): Promise<string> {
  const email = `${randomUUID()}@example.org`;
  await db.run(sql`
    WITH made AS (
      INSERT INTO staff_user
      SELECT (jsonb_populate_record(u, jsonb_build_object('id', u.id + 1000 + ${++made}::int, 'email', ${email}::text))).*
      FROM staff_user u WHERE u.id = ${pattern}
      RETURNING id)
    INSERT INTO staff_user_practice (user_id, practice_id) SELECT id, ${basics.enabled} FROM made`);
  return email;
}

async function idOf(email: string): Promise<number> {
  const found = await db.first<{ id: number }>(sql`SELECT id FROM staff_user WHERE email = ${email}`);
  if (!found) throw new Error(`no account ${email}`);
  return found.id;
}

async function createAccounts(count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => createAccount()));
}

interface Try {
  address?: string | null;
  password?: string;
  device?: string | null;
}
function attempt(email: string, { address = "198.51.100.1", password = "wrong", device = null }: Try) {
  return signInWithPassword({ email, password, organization: "" }, { address, userAgent: null, deviceCookie: device });
}

/** Returns the kind of outcome, or the limit that was reached. */
const describeOutcome = (outcome: SignInOutcome) =>
  outcome.kind === "throttled" ? outcome.throttled.by : outcome.kind;
const describeAll = async (tries: (() => Promise<SignInOutcome>)[]) => {
  const words: string[] = [];
  for (const one of tries) words.push(describeOutcome(await one()));
  return words;
};

/** Tries wrong passwords from different addresses until the account's own limit is reached. */
async function attackFromEverywhere(email: string): Promise<void> {
  for (let host = 1; host <= 5; host++)
    expect(describeOutcome(await attempt(email, { address: `203.0.113.${host}` }))).toBe("wrong_password");
  expect(describeOutcome(await attempt(email, { address: "203.0.113.99" }))).toBe("account");
}

describe("wrong passwords", () => {
  test("are limited for one account and one address, with the time to wait, even if the right one follows", async () => {
    const email = await createAccount();
    const again = () => attempt(email, {});
    expect(await describeAll([again, again, again])).toEqual([
      "wrong_password",
      "wrong_password",
      "account_and_address",
    ]);
    const rejected = await attempt(email, { password: PASSWORD });
    expect(rejected).toMatchObject({ kind: "throttled", throttled: { by: "account_and_address" } });
    const seconds = rejected.kind === "throttled" ? rejected.throttled.retryAfterSeconds : 0;
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    expect(describeOutcome(await attempt(await createAccount(), { password: PASSWORD }))).toBe("signed_in");
  });

  test("are limited for one address and all accounts together, existing or not", async () => {
    const email = await createAccount();
    const some = [...(await createAccounts(3)), "nobody@example.org"];
    const others = some.map((one) => () => attempt(one, {}));
    expect(await describeAll(others)).toEqual(Array(4).fill("wrong_password"));
    expect(describeOutcome(await attempt(email, { password: PASSWORD }))).toBe("address");
    expect(describeOutcome(await attempt(email, { password: PASSWORD, address: "198.51.100.2" }))).toBe("signed_in");
  });

  test("count together for all addresses of an IPv6 network", async () => {
    const addresses = ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:0:1::3", "2001:db8::4"];
    const [last = "", ...some] = await createAccounts(5);
    const tries = addresses.map((address, index) => () => attempt(some[index] ?? "", { address }));
    expect(await describeAll(tries)).toEqual(Array(4).fill("wrong_password"));
    expect(describeOutcome(await attempt(last, { address: "2001:db8::5" }))).toBe("address");
    expect(describeOutcome(await attempt(last, { address: "2001:db8:0:1::5" }))).toBe("wrong_password");
  });

  test("are limited for one account over all addresses", async () => {
    const email = await createAccount();
    await attackFromEverywhere(email);
    expect(describeOutcome(await attempt(email, { password: PASSWORD, address: "203.0.113.200" }))).toBe("account");
    expect(
      describeOutcome(await attempt(await createAccount(), { password: PASSWORD, address: "203.0.113.200" })),
    ).toBe("signed_in");
  });

  test("do not count against the accounts if their address is over its limit", async () => {
    const email = await createAccount();
    for (const other of await createAccounts(4)) await attempt(other, {});
    for (let index = 0; index < 9; index++) expect(describeOutcome(await attempt(email, {}))).toBe("address");
    expect(describeOutcome(await attempt(email, { password: PASSWORD, address: "198.51.100.2" }))).toBe("signed_in");
  });

  test("are reset by the right one, except for guesses from other addresses", async () => {
    const email = await createAccount();
    for (let host = 1; host <= 4; host++) await attempt(email, { address: `203.0.113.${host}` });
    for (let turn = 0; turn < 3; turn++)
      expect(describeOutcome(await attempt(email, { password: PASSWORD, address: `203.0.113.${100 + turn}` }))).toBe(
        "signed_in",
      );
    expect(describeOutcome(await attempt(email, { address: "203.0.113.5" }))).toBe("wrong_password");
    expect(describeOutcome(await attempt(email, { address: "203.0.113.6" }))).toBe("account");
  });
});

describe("an attack on an account does not lock out its user", () => {
  test("in a browser they have signed in with before, at any address", async () => {
    const email = await createAccount();
    const device = rememberDevice(null, await idOf(email), new Date());
    await attackFromEverywhere(email);
    expect(describeOutcome(await attempt(email, { password: PASSWORD, address: "192.0.2.7", device }))).toBe(
      "signed_in",
    );
  });

  test("at the attacker's address, in such a browser", async () => {
    const email = await createAccount();
    const device = rememberDevice(null, await idOf(email), new Date());
    for (const other of await createAccounts(4)) await attempt(other, {});
    for (let turn = 0; turn < 3; turn++) await attempt(email, {});
    expect(describeOutcome(await attempt(email, { password: PASSWORD }))).toBe("address");
    expect(describeOutcome(await attempt(email, { password: PASSWORD, device }))).toBe("signed_in");
  });

  test("at an address they have signed in from before, in any browser", async () => {
    const email = await createAccount();
    const office = "192.0.2.10";
    expect(describeOutcome(await attempt(email, { password: PASSWORD, address: office }))).toBe("signed_in");
    await attackFromEverywhere(email);
    expect(describeOutcome(await attempt(email, { password: PASSWORD, address: office }))).toBe("signed_in");
  });
});

describe("a known browser", () => {
  test("has its own limit", async () => {
    const email = await createAccount();
    const device = rememberDevice(null, await idOf(email), new Date());
    const again = () => attempt(email, { device });
    expect(await describeAll([again, again, again])).toEqual(["wrong_password", "wrong_password", "device"]);
    expect(describeOutcome(await attempt(email, { password: PASSWORD, device }))).toBe("device");
    // Other browsers are not affected.
    expect(describeOutcome(await attempt(email, { password: PASSWORD }))).toBe("signed_in");
  });

  test("is known only for the accounts that signed in with it", async () => {
    const [email, colleague] = [await createAccount(), await createAccount()];
    const own = rememberDevice(null, await idOf(email), new Date());
    const both = rememberDevice(own, await idOf(colleague), new Date());
    for (const one of [email, colleague]) await attackFromEverywhere(one);
    expect(describeOutcome(await attempt(colleague, { password: PASSWORD, device: own, address: "192.0.2.8" }))).toBe(
      "account",
    );
    for (const one of [email, colleague])
      expect(describeOutcome(await attempt(one, { password: PASSWORD, device: both, address: "192.0.2.9" }))).toBe(
        "signed_in",
      );
  });

  test("needs a valid, recent cookie", async () => {
    const email = await createAccount();
    const now = new Date();
    const [day = "", id = "", signature = ""] = rememberDevice(null, await idOf(email), now).split(".");
    const old = rememberDevice(null, await idOf(email), new Date(now.getTime() - DEVICE_DAYS * 86_400_000));
    const cookies = ["x", `${day}.${id}`, `${day}.${id}.${"A".repeat(43)}`, `zzzz.${id}.${signature}`, old];
    await attackFromEverywhere(email);
    for (const device of cookies)
      expect(describeOutcome(await attempt(email, { password: PASSWORD, device, address: "192.0.2.8" }))).toBe(
        "account",
      );
  });

  test("stays known for the eight accounts that signed in last", async () => {
    const people = Array.from({ length: 9 }, (_, index) => index + 1);
    const cookie = people.reduce<string | null>((kept, account) => rememberDevice(kept, account, new Date()), null);
    expect(cookie?.split(":")).toHaveLength(8);
    expect((cookie as string).length).toBeLessThan(700);
  });
});

describe("accounts of several organizations with one address", () => {
  /** Creates the victim's account, and one with the same address that an admin elsewhere created with a known password. */
  async function createTwoAccounts() {
    const email = await createAccount();
    const theirs = "their own password";
    const victim = await idOf(email);
    const added = { name: "Kim Ito", email, role: "viewer", password: theirs } as const;
    return { email, theirs, victim, own: await createStaffUser({ ...added, practices: [basics.foreign] }) };
  }
  const signedInAs = (outcome: SignInOutcome) =>
    outcome.kind === "signed_in" ? outcome.user.id : describeOutcome(outcome);

  test("have separate limits: a right password for one neither resets nor counts against the other", async () => {
    const { email, theirs, own, victim } = await createTwoAccounts();
    expect(signedInAs(await attempt(email, { password: theirs }))).toBe(own);
    const device = rememberDevice(null, own, new Date());
    for (let turn = 0; turn < 2; turn++) {
      expect(describeOutcome(await attempt(email, { device }))).toBe(
        turn === 0 ? "wrong_password" : "account_and_address",
      );
      expect(signedInAs(await attempt(email, { password: theirs, device }))).toBe(own);
    }
    // Each guess was wrong for the victim's account, whose limit is two: now even the right password is not checked.
    expect(describeOutcome(await attempt(email, { password: PASSWORD, device }))).toBe("account_and_address");
    const known = rememberDevice(null, victim, new Date());
    expect(signedInAs(await attempt(email, { password: PASSWORD, device: known }))).toBe(victim);
  });

  test("allow a sign-in to one while the other is over its limit", async () => {
    const { email, theirs, own, victim } = await createTwoAccounts();
    const device = rememberDevice(null, victim, new Date());
    for (let turn = 0; turn < 3; turn++) await attempt(email, { device, address: `203.0.113.${turn}` });
    expect(describeOutcome(await attempt(email, { password: PASSWORD, device, address: "203.0.113.9" }))).toBe(
      "device",
    );
    expect(signedInAs(await attempt(email, { password: theirs, device, address: "203.0.113.9" }))).toBe(own);
  });
});

test("sixty concurrent sign-ins run one or two hashes at a time, and sign-ins rejected as busy are not counted", async () => {
  // Long enough for the others to arrive; unknown accounts cost the same.
  setHashCost({ N: 2 ** 14, r: 8, p: 1 });
  onTestFinished(hashCheaply);
  const email = await createAccount();
  const at = (index: number) => ({ address: `10.0.0.${index}` });
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, index) => attempt(`nobody${index}@example.org`, at(index))),
  );
  expect(hashing().mostRunning).toBeLessThanOrEqual(2);
  const busy = outcomes.filter(({ kind }) => kind === "busy");
  expect(busy.length).toBeGreaterThan(0);
  expect(outcomes.filter(({ kind }) => kind === "wrong_password")).toHaveLength(60 - busy.length);
  expect(busy.every((outcome) => outcome.kind === "busy" && outcome.retryAfterSeconds > 0)).toBe(true);
  const counted = await db.rows<{ points: number }>(sql`SELECT points FROM failed_sign_in WHERE points > 0`);
  expect(counted).toHaveLength(3 * (60 - busy.length));
  expect(describeOutcome(await attempt(email, { password: PASSWORD }))).toBe("signed_in");
});

test("when no more passwords can wait, a known browser is checked next", async () => {
  const email = await createAccount();
  const device = rememberDevice(null, await idOf(email), new Date());
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const flood = Promise.allSettled(Array.from({ length: 60 }, () => hashing().run(() => held)));
  const known = attempt(email, { password: PASSWORD, device });
  expect(describeOutcome(await attempt(email, { password: PASSWORD }))).toBe("busy");
  release();
  expect(describeOutcome(await known)).toBe("signed_in");
  expect((await flood).filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
});

test("a password hash costs what OWASP recommends, unless a test changes it", async () => {
  setHashCost();
  onTestFinished(hashCheaply);
  const cost = "scrypt$32768$8$3$";
  expect((await hashPassword(PASSWORD)).startsWith(cost)).toBe(true);
  expect(decoyHash().startsWith(cost)).toBe(true);
});

test("counts that expired an hour ago are removed, later ones are kept", async () => {
  await attempt(await createAccount(), {});
  await attempt(await createAccount(), { address: "203.0.113.9" });
  const rows = () => db.rows<{ key: string }>(sql`SELECT key FROM failed_sign_in ORDER BY key`);
  const all = await rows();
  await db.run(sql`UPDATE failed_sign_in SET expire = ${Date.now() - 59 * 60_000}`);
  await db.run(sql`UPDATE failed_sign_in SET expire = ${Date.now() - 61 * 60_000} WHERE key = ${all[0]?.key}`);
  await removeExpiredAttempts();
  expect(await rows()).toEqual(all.slice(1));
});
