// Readiness: one figure with one meaning on every page, and the steps of the migration.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { findStaffAccess, type StaffAccess } from "@/lib/access/staff/access";
import { getReadiness } from "@/lib/migration/readiness/queries";
import { getMigrationSteps } from "@/lib/migration/readiness/steps-queries";
import { workRun } from "@/lib/migration/work/run-worker";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import { toLines } from "../support/generated-export";
import { legacyPatient } from "../support/legacy-export";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { staffRuns } from "../support/staff-runs";

let basics: Basics;
let practice: number;
let admin: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(async () => {
  practice = await seedPractice(basics.organization, "Migrating", false);
  await seedPhysician(practice);
  admin = await signInAs("admin", [practice]);
});
const { post, get, check } = staffRuns(() => ({ who: admin, practice }));

const call = (method: string, path: string, body?: unknown) =>
  staffCallAs(admin, method, `practices/${practice}/${path}`, body === undefined ? {} : { body });
const setClock = async (body: object) => {
  const { version } = (await call("GET", "settings")).body.settings;
  const headers = { "if-match": `"${version}"` };
  return staffCallAs(admin, "PUT", `practices/${practice}/settings/clock`, { body, headers });
};

/** Returns the readiness as each page and call shows it. */
async function figures() {
  const home = (await call("GET", "home")).body.readiness;
  const report = (await get("/readiness")).body;
  const signed = (await post("/sign-offs", { decision: "no_go", reason: "Not yet" })).body.sign_offs[0].figures;
  const day = report.days.at(-1);
  return {
    percents: [home.percent, report.percent, signed.percent],
    parts: [home.parts, report.parts, signed.parts],
    records: [home.records, report.records],
    runs: [home.run?.id, report.run?.id],
    verifiedToday: day?.verified,
  };
}

/** Converts and verifies a checked run. */
async function convert(run: number): Promise<void> {
  expect((await post(`/${run}/conversion`, undefined)).status).toBe(200);
  await workRun(run);
  await post(`/${run}/work`, { work: "verify" });
  await workRun(run);
}

async function steps() {
  const access = (await findStaffAccess(admin.cookie, "person")) as StaffAccess;
  return (await getMigrationSteps(access, practice, await getReadiness(access, practice))).done;
}

test("is the same on Home, in the report and in sign-offs, before and after the conversion", async () => {
  const none = { verified: 0, convertible: 0, person: 0, refused: 0 };
  expect(await figures()).toMatchObject({
    percents: [0, 0, 0],
    parts: [none, none, none],
    runs: [undefined, undefined],
  });
  const run = await check(Buffer.from(toLines([legacyPatient(1), legacyPatient(2), legacyPatient(3)])));
  const checked = { ...none, convertible: 3 };
  expect(await figures()).toMatchObject({
    percents: [0, 0, 0],
    parts: [checked, checked, checked],
    records: [3, 3],
    runs: [run, run],
  });
  await convert(run);
  const verified = { ...none, verified: 3 };
  expect(await figures()).toEqual({
    percents: [100, 100, 100],
    parts: [verified, verified, verified],
    records: [3, 3],
    runs: [run, run],
    verifiedToday: 3,
  });
});

test("the steps of the migration follow from what is stored", async () => {
  const nothing = {
    payers: false,
    import: false,
    review: false,
    rehearsal: false,
    sign_off: false,
    conversion: false,
    versioning: false,
  };
  expect(await steps()).toEqual(nothing);
  const run = await check(Buffer.from(toLines([legacyPatient(1)])));
  expect(await steps()).toEqual({ ...nothing, import: true, review: true });
  await post("/sign-offs", { decision: "go", reason: "Ready" });
  expect((await setClock({ mode: "announce", rehearsalTime: "2026-01-01T00:00:00Z" })).status).toBe(200);
  expect((await setClock({ rehearsalTime: null })).status).toBe(200);
  await convert(run);
  expect(await steps()).toEqual({
    payers: true,
    import: true,
    review: true,
    rehearsal: true,
    sign_off: true,
    conversion: true,
    versioning: false,
  });
});
