// Exports require a right, which viewers lack unless an admin grants it (ADR 0113).
import { beforeAll, describe, expect, test } from "vitest";
import { type Basics, seedBasics } from "../support/api";
import { securityEventsOf } from "../support/security-events";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { pathOf, type Records, STAFF_ENDPOINTS, seedRecords } from "../support/staff-world";

let basics: Basics;
let records: Records;
let admin: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  records = await seedRecords(basics, "enabled");
  admin = await signInAs("admin", [basics.enabled]);
});

const FILES = STAFF_ENDPOINTS.filter(({ declaration }) => declaration.exports).map(({ path }) => path);
const take = (who: SignedIn, path: string) => staffCallAs(who, "GET", pathOf(path, records));
const change = (id: number, body: object) =>
  staffCallAs(admin, "PATCH", `practices/${basics.enabled}/members/${id}`, { body });

test("every export path requires the right", () => {
  const named = STAFF_ENDPOINTS.filter(({ path }) => path.endsWith("/export")).map(({ path }) => path);
  expect(named.length).toBeGreaterThan(3);
  expect(FILES.sort()).toEqual(named.sort());
});

describe.each(FILES)("%s", (path) => {
  test("rejects viewers and staff without the right, and audits the rejection", async () => {
    const events = await securityEventsOf(basics.enabled, async () => {
      for (const role of ["viewer", "staff"] as const) {
        const who = await signInAs(role, [basics.enabled], { canExport: false });
        expect((await take(who, path)).status).toBe(403);
      }
    });
    expect(events.map(({ operation }) => operation)).toEqual(["access.denied", "access.denied"]);
  });

  test("stores an event for an export", async () => {
    const events = await securityEventsOf(basics.enabled, async () => {
      expect((await take(admin, path)).status).toBe(200);
    });
    expect(events).toMatchObject([
      { operation: "data.exported", actor_id: admin.userId, detail: { facts: { bytes: expect.any(Number) } } },
    ]);
  });
});

describe("the export right", () => {
  const file = "practices/[practice]/patients/export";

  test("is granted and revoked by an admin, effective with the next call, and a changed role resets it", async () => {
    const who = await signInAs("viewer", [basics.enabled]);
    const status = async () => (await take(who, file)).status;
    expect(await status()).toBe(403);
    expect((await change(who.userId, { can_export: true })).status).toBe(204);
    expect(await status()).toBe(200);
    await change(who.userId, { role: "staff" });
    expect(await status()).toBe(200);
    await change(who.userId, { role: "viewer" });
    expect(await status()).toBe(403);
  });

  test("belongs to every admin, even if stored as false", async () => {
    const who = await signInAs("admin", [basics.enabled], { canExport: false });
    expect((await take(who, file)).status).toBe(200);
  });
});
