// The patients of a search, exported as a file.
import { beforeAll, describe, expect, test } from "vitest";
import { findStaffAccess, narrowTo, type StaffAccess } from "@/lib/access/staff/access";
import { exportPatients } from "@/lib/insurance/patients/staff-queries";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics, seedPatient } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let member: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  member = await signInAs("staff", [basics.enabled]);
});

describe("the export of a patient search", () => {
  test("contains every match, or is rejected with a message if there are too many", async () => {
    const name = "Zexported";
    for (const _each of [1, 2]) {
      const id = await seedPatient(basics.enabled, basics.physicians.enabled);
      await db.run(sql`UPDATE patient SET last_name = ${name} WHERE id = ${id}`);
    }
    const path = `practices/${basics.enabled}/patients/export?search=${name}`;
    const { status, body } = await staffCallAs(member, "GET", path);
    expect([status, new TextDecoder().decode(body).match(new RegExp(name, "g"))?.length]).toEqual([200, 2]);
    const access = narrowTo((await findStaffAccess(member.cookie, "person")) as StaffAccess, basics.enabled);
    const search = { search: name, order: "last_name" };
    expect(await exportPatients(access as StaffAccess, search, 2)).toHaveLength(2);
    await expect(exportPatients(access as StaffAccess, search, 1)).rejects.toMatchObject({
      reason: "too_many",
      message: expect.stringContaining("More than 1 patients match this search."),
    });
  });
});
