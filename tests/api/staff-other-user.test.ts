// Two people at one browser: an open page does nothing on behalf of a user who signed in later.
import { beforeAll, expect, test } from "vitest";
import { type Basics, seedBasics } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let practice: number;
let opener: SignedIn;
let other: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  practice = basics.enabled;
  [opener, other] = [await signInAs("admin", [practice]), await signInAs("admin", [practice])];
});

const read = (who: SignedIn, person: string) =>
  staffCallAs(who, "GET", `practices/${practice}/patients`, { headers: { "x-crosswalk-person": person } });

test("the page only serves the user who opened it", async () => {
  expect((await read(opener, String(opener.userId))).status).toBe(200);
  for (const person of [String(opener.userId), "", "0", "x"]) {
    const rejected = await read(other, person);
    expect([rejected.status, rejected.body.code]).toEqual([409, "another_person"]);
  }
});

test("the page changes nothing", async () => {
  const body = { name: "Client of another", practices: [practice], scoped_tokens: false, allowed_scopes: [] };
  const headers = { "x-crosswalk-person": String(opener.userId) };
  const rejected = await staffCallAs(other, "POST", `practices/${practice}/clients`, { body, headers });
  expect([rejected.status, rejected.body.code]).toEqual([409, "another_person"]);
  const { body: list } = await staffCallAs(other, "GET", `practices/${practice}/clients`);
  expect(JSON.stringify(list)).not.toContain("Client of another");
});
