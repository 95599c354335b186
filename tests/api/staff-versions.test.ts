// The history of a policy for staff: numbered pages, a complete version, and the last change to each field.
import { beforeAll, describe, expect, test } from "vitest";
import { mintAccess } from "@/lib/access/identity/access";
import { readVersions } from "@/lib/insurance/policies/staff-queries";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { imageContent } from "@/tests/support/images";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

let basics: Basics;
let viewer: SignedIn;
let stranger: SignedIn;
let patient: number;
let policy: number;
let path: string;

beforeAll(async () => {
  basics = await seedBasics();
  viewer = await signInAs("viewer", [basics.enabled]);
  stranger = await signInAs("admin", [basics.foreign]);
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { token } = basics;
  const created = await call("POST", `patients/${patient}/policies`, {
    token,
    body: { ...MARIA, rank: 1, carrier: "Acme Health", plan: "Gold", copay: "10.00" },
  });
  policy = created.body.id;
  const at = `patients/${patient}/policies/${policy}`;
  await call("PATCH", at, { token, body: { copay: "20.00" }, headers: { "x-change-reason": "New card" } });
  await call("POST", `${at}/card-images`, { token, body: { image: await imageContent(1), image_rank: 1 } });
  await call("PATCH", at, { token, body: { plan: null } });
  await call("DELETE", `${at}/card-images/1`, { token });
  path = `practices/${basics.enabled}/patients/${patient}/policies/${policy}/versions`;
});

describe("the list of versions", () => {
  test("is numbered from 1, so that a page is found by number", async () => {
    const { status, body } = await staffCallAs(viewer, "GET", `${path}?offset=1&limit=2`);
    expect(status).toBe(200);
    expect(body.count).toBe(5);
    expect(body.results.map(({ version }: { version: number }) => version)).toEqual([2, 3]);
    expect(body.results[0]).toMatchObject({
      kind: "updated",
      changes: { copay: { old: "10.00", new: "20.00" } },
      actor: { type: "client", name: "Test client" },
      source: "policies_api",
      reason: "New card",
    });
  });

  test("is audited for the patient", async () => {
    await staffCallAs(viewer, "GET", path, { headers: { "x-request-id": "history-was-read" } });
    const entry = await db.first<{ patients: number[]; operation: string }>(
      sql`SELECT patients::int[] AS patients, operation FROM audit_log WHERE request_id = 'history-was-read'`,
    );
    expect(entry).toMatchObject({ patients: [patient], operation: "staff.policies.versions" });
  });
});

describe("a version", () => {
  test("shows who last changed each field, up to that version", async () => {
    const { status, body } = await staffCallAs(viewer, "GET", `${path}/5`);
    expect(status).toBe(200);
    const versions = Object.fromEntries(
      Object.entries(body.last_changes as Record<string, { version: number }>).map(([field, { version }]) => [
        field,
        version,
      ]),
    );
    expect(versions).toMatchObject({ carrier: 1, rank: 1, status: 1, copay: 2, plan: 4, card_images: 5 });
    for (const field of ["deductible", "member_id", "version", "modified_date", "id"]) {
      expect(versions).not.toHaveProperty(field);
    }
    expect(body.last_changes.copay).toMatchObject({ actor: { name: "Test client" }, source: "policies_api" });

    const earlier = await staffCallAs(viewer, "GET", `${path}/3`);
    expect(earlier.body.last_changes.plan.version).toBe(1);
    expect(earlier.body.last_changes.card_images.version).toBe(3);
    const first = await staffCallAs(viewer, "GET", `${path}/1`);
    expect(first.body.last_changes).not.toHaveProperty("card_images");
  });

  test("shows the same last changes together with other versions", async () => {
    const access = mintAccess({ practices: [basics.enabled], actor: { type: "system", id: null, name: "test" } });
    const numbers = [4, 5, 1];
    const together = await readVersions(access, patient, policy, numbers);
    expect(together.map(({ version }) => version)).toEqual(numbers);
    for (const { version, last_changes } of together) {
      const { body } = await staffCallAs(viewer, "GET", `${path}/${version}`);
      expect(last_changes).toEqual(body.last_changes);
    }
  });

  test("shows the card images at that time, with links of the page's own origin", async () => {
    const now = await staffCallAs(viewer, "GET", `${path}/5`);
    expect(now.body.policy.card_images).toEqual([]);
    const then = await staffCallAs(viewer, "GET", `${path}/4`);
    const [image] = then.body.policy.card_images;
    expect(image).toMatchObject({ image_rank: 1, width: 32, height: 20, content_type: "image/png" });
    expect(image).not.toHaveProperty("image_key");
    expect(image.url).toMatch(/^\/api\/2\.0\/card_images\//);
    expect((await call("GET", image.url)).status).toBe(200);
  });

  test("looks absent if it does not exist or belongs to another practice", async () => {
    expect((await staffCallAs(viewer, "GET", `${path}/6`)).status).toBe(404);
    expect((await staffCallAs(viewer, "GET", `${path}/0`)).status).toBe(404);
    expect((await staffCallAs(stranger, "GET", `${path}/1`)).status).toBe(404);
    expect((await staffCallAs(stranger, "GET", path)).status).toBe(404);
    const own = path.replace(`practices/${basics.enabled}/`, `practices/${basics.foreign}/`);
    expect((await staffCallAs(stranger, "GET", own)).status).toBe(404);
    expect((await staffCallAs(stranger, "GET", `${own}/1`)).status).toBe(404);
    expect((await staffCallAs(null, "GET", path)).status).toBe(401);
  });
});
