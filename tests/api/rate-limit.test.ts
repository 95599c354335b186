// Requests per second of one client.
import { beforeAll, describe, expect, test } from "vitest";
import { type Basics, call, seedBasics, tokenFor } from "@/tests/support/api";
import { snapshot } from "@/tests/support/snapshot";

const LIMIT = 20;
process.env.RATE_LIMIT_PER_SECOND = String(LIMIT);

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
});

const client = () => tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });

/** Sends requests one by one until one is rejected; a slow machine may need more than one second's allowance. */
async function burst(token: string) {
  const responses = [];
  for (let index = 0; index < 5000; index++) {
    responses.push(await call("GET", "practices/", { token }));
    if (responses.at(-1)?.status === 429) break;
  }
  return responses;
}

describe("429", () => {
  test("follows the last allowed request, with Retry-After, and ends at that time", async () => {
    const token = await client();
    const responses = await burst(token);
    const rejected = responses.filter(({ status }) => status === 429);
    expect(rejected).toHaveLength(1);
    expect(responses.slice(0, LIMIT).every(({ status }) => status === 200)).toBe(true);
    for (const { body, headers } of rejected) {
      expect(body).toEqual({ detail: expect.stringContaining("1 s"), code: "rate_limited" });
      expect(headers.get("retry-after")).toBe("1");
      expect(headers.get("x-request-id")).toBeTruthy();
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await call("GET", "practices/", { token })).status).toBe(200);
  });

  test("also applies if the token lacks the scope", async () => {
    const scopes = ["system/practices.read"];
    const token = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled], scopes });
    const forbidden = () => call("GET", "patients/", { token });
    expect((await forbidden()).status).toBe(403);
    await burst(token);
    expect((await forbidden()).status).toBe(429);
  });

  test("does not affect other clients", async () => {
    const [busy, calm] = [await client(), await client()];
    await burst(busy);
    expect((await call("GET", "practices/", { token: calm })).status).toBe(200);
  });

  test("writes nothing and leaves the Idempotency-Key free", async () => {
    const token = await client();
    await burst(token);
    const before = await snapshot();
    const post = () =>
      call("POST", "insurance_companies/", {
        token,
        body: { practice: basics.enabled, carrier: "Later" },
        headers: { "idempotency-key": "after-the-limit" },
      });
    const rejected = await post();
    if (rejected.status === 429) expect(await snapshot()).toEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { status, headers } = await post();
    expect([status, headers.get("idempotent-replayed")]).toEqual([201, rejected.status === 201 ? "true" : null]);
  });
});
