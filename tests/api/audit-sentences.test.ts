// The audit log in words: every operation has a sentence, and names come from the practice's own records.
import { createElement, Fragment } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, test } from "vitest";
import { entrySentence, sentenceOf } from "@/components/audit/messages/sentence";
import { EntrySentence } from "@/components/audit/sentence";
import { SECURITY_EVENTS } from "@/lib/access/audit/events";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import type { NamedAuditPage } from "@/lib/api/audit/queries";
import { entryTargets } from "@/lib/api/audit/rules";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPatient, tokenFor } from "@/tests/support/api";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";
import { STAFF_ENDPOINTS } from "@/tests/support/staff-world";
import { ENDPOINTS } from "@/tests/support/world";

let basics: Basics;
let admin: SignedIn;
let maria: number;
let policy: number;

beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled]);
  maria = await seedPatient(basics.enabled, basics.physicians.enabled, "Maria Lopez");
  const token = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
  const created = await call("POST", `patients/${maria}/policies`, {
    token,
    body: { patient_first_name: "Maria", patient_last_name: "Lopez", patient_dob: "1980-05-17", rank: 1 },
  });
  expect(created.status).toBe(201);
  policy = created.body.id;
  await staffCallAs(admin, "GET", `practices/${basics.enabled}/patients/${maria}/policies/${policy}`);
  await staffCallAs(admin, "GET", `practices/${basics.enabled}/patients/${maria}`);
});

async function auditPage(query = ""): Promise<NamedAuditPage> {
  return (await staffCallAs(admin, "GET", `practices/${basics.enabled}/audit${query}`)).body;
}

const shown = (entry: AuditView, names: NamedAuditPage["names"]) => {
  const html = renderToStaticMarkup(createElement(EntrySentence, { practice: basics.enabled, entry, names, limit: 3 }));
  return { html, text: html.replaceAll(/<[^>]*>/g, "").replaceAll("&#x27;", "'") };
};

describe("words", () => {
  const operations = [...ENDPOINTS, ...STAFF_ENDPOINTS].map(({ declaration }) => declaration.name);
  // The description of the API has no audited data.
  const named = new Set([...operations, ...Object.keys(SECURITY_EVENTS)].filter((name) => name !== "openapi"));

  test.each([...named])("%s has a sentence with known placeholders", (operation) => {
    const sentence = sentenceOf(operation);
    expect(sentence).not.toBeNull();
    const placeholders = [...(sentence ?? "").matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(["who", "patients", "patient", "policy", "run", "member", "client"]).toEqual(
      expect.arrayContaining(placeholders),
    );
  });

  test("text about patients is left out if there are none, and names of objects are not operations", () => {
    const values = { who: "Ada", patients: null, patient: "a patient", policy: "", run: "", member: "", client: "" };
    const text = (operation: string) =>
      renderToStaticMarkup(createElement(Fragment, null, entrySentence(operation, values)));
    expect(text("allergies.list")).toContain("viewed allergies");
    expect(text("allergies.list")).not.toContain(" of ");
    expect(sentenceOf("constructor.list")).toBeNull();
    expect(sentenceOf("allergies.constructor")).toBeNull();
    expect(text("future.operation")).toContain("future.operation");
  });

  test("IDs come from whole path segments only", () => {
    const targets = (path: string) => entryTargets({ path, detail: null });
    expect(targets("/api/staff/practices/1/patients/2/policies/3/versions")).toEqual({ policy: 3 });
    expect(targets("/api/2.0/patients/2/policies/3/")).toEqual({ policy: 3 });
    expect(targets("/api/staff/practices/1/migrations/own")).toEqual({});
    expect(targets("/practices/1/migration/7/findings")).toEqual({ run: 7 });
    expect(targets("/api/2.0/patients/2/policies/3x")).toEqual({});
    expect(targets(`/api/2.0/patients/2/policies/${"9".repeat(30)}`)).toEqual({});
  });
});

describe("the page", () => {
  test("names and links the patient, the policy, the member and the client", async () => {
    const { results, names } = await auditPage();
    const entry = (operation: string) => results.find((one) => one.operation === operation) as AuditView;
    const base = `/practices/${basics.enabled}`;
    const viewed = shown(entry("staff.policies.get"), names);
    expect(viewed.text).toMatch(new RegExp(`^.+ viewed policy ${policy} of Maria Lopez$`));
    expect(viewed.html).toContain(`href="${base}/patients/${maria}/policies/${policy}"`);
    expect(viewed.html).toContain(`href="${base}/patients/${maria}"`);
    expect(viewed.html).toContain(`href="${base}/settings/members"`);
    expect(shown(entry("staff.patients.get"), names).text).toMatch(/ viewed Maria Lopez$/);
    const added = shown(entry("policies.create"), names);
    expect(added.text).toBe("Test client added a policy for Maria Lopez");
    expect(added.html).toContain(`href="${base}/settings/clients#client-`);
  });

  test("shows deleted records and those of other practices without a name or link", async () => {
    const theirs = await seedPatient(basics.foreign, basics.physicians.foreign, "Other Person");
    const { results } = await auditPage();
    const entry = { ...(results[0] as AuditView), operation: "patients.get", patients: [theirs], patient_count: 1 };
    await db.run(sql`
      INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients, source)
      VALUES (${basics.enabled}, now(), 'staff', 999999999, 'Former member', 'read', 'staff.policies.get',
        ${`/api/staff/practices/1/patients/${theirs}/policies/999999999`}, ARRAY[${theirs}::bigint], 'staff')`);
    const { results: after, names } = await auditPage();
    const stored = after.find(({ actor_name }) => actor_name === "Former member") as AuditView;
    expect(shown(stored, names).html).not.toContain("href");
    expect(shown(stored, names).text).toBe(`Former member viewed policy 999999999 of patient ${theirs}`);
    expect(shown(entry, names).text).toContain(`patient ${theirs}`);
    expect(JSON.stringify(names)).not.toContain("Other Person");
  });

  test("a page without entries has no names", async () => {
    const { results, names } = await auditPage("?until=2020-01-01");
    expect(results).toEqual([]);
    expect(names).toEqual({ patients: {}, policies: {}, runs: {}, members: [], clients: [] });
  });
});
