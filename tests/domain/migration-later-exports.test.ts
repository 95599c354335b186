// Later exports: fields that they lack, and companies that changed in the meantime.
import { beforeEach, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { call, tokenFor } from "../support/api";
import { COMPANIES, legacyInsurance, legacyPatient } from "../support/legacy-export";
import { seedMigratingPracticeBeforeEach, verdictsOf } from "../support/migrating-practice";
import { findingsOf, verify } from "../support/migration-runs";

type Fields = Record<string, unknown>;

const practice = seedMigratingPracticeBeforeEach();
const { check, migrate } = practice;
let token: string;
beforeEach(async () => {
  token = await tokenFor({ organizationId: practice.organization, practices: [practice.id] });
});

const first = (n: number, fields: Fields = {}) => legacyInsurance(10 * n, fields);

const rowOf = (externalId: number) =>
  db.first<Fields>(sql`
    SELECT carrier, copay, member_id, insurance_company FROM patient_insurance
    WHERE practice_id = ${practice.id} AND external_id = ${externalId}`);
const without = (fields: Fields, ...left: string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !left.includes(field)));

describe("fields that a later export lacks", () => {
  test("keep their values, whether the others change or not", async () => {
    await migrate([
      legacyPatient(1, { deleted_insurances: [], insurances: [first(1)] }),
      legacyPatient(2, { deleted_insurances: [], insurances: [first(2)] }),
    ]);
    const [one, two] = [await rowOf(10), await rowOf(20)];
    expect(one).toMatchObject({ copay: expect.any(String), insurance_company: expect.any(Number) });
    const left = ["copay", "insurance_company", "plan", "insured_person_ssn", "start_date"];
    const runId = await migrate([
      legacyPatient(1, { deleted_insurances: [], insurances: [without(first(1, { member_id: "NEW" }), ...left)] }),
      legacyPatient(2, { deleted_insurances: [], insurances: [without(first(2), ...left)] }),
    ]);
    expect(await verdictsOf(runId)).toEqual([
      ["1001", "update", ["insurances 10 1 update member_id"]],
      ["1002", "unchanged", ["insurances 20 1 unchanged"]],
    ]);
    expect([await rowOf(10), await rowOf(20)]).toEqual([{ ...one, member_id: "NEW" }, two]);
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
  });

  test("an empty field in a later export clears the value, and another carrier ends the link to the company", async () => {
    await migrate([legacyPatient(1, { deleted_insurances: [], insurances: [first(1)] })]);
    const later = without(first(1, { copay: null, carrier: "Harborlight of the North" }), "insurance_company");
    const runId = await check([legacyPatient(1, { deleted_insurances: [], insurances: [later] })]);
    expect(await verdictsOf(runId)).toEqual([
      ["1001", "update", ["insurances 10 1 update carrier insurance_company copay"]],
    ]);
  });
});

describe("a kept field that contradicts the export", () => {
  test("rejects an insurance that would end before it begins", async () => {
    const dates = { start_date: "2023-01-01", end_date: "2023-12-31" };
    await migrate([legacyPatient(1, { deleted_insurances: [], insurances: [first(1, dates)] })]);
    const later = without(first(1, { start_date: "2024-01-01" }), "end_date");
    const runId = await check([legacyPatient(1, { deleted_insurances: [], insurances: [later] })]);
    expect(await findingsOf(runId)).toMatchObject([{ code: "kept_date_conflict", severity: "error", insurance: "10" }]);
    expect(await verdictsOf(runId)).toMatchObject([["1001", "refused", undefined]]);
  });

  test("is cleared if it is the carrier and the export names another company", async () => {
    const companies = [...COMPANIES, { id: 5002, carrier: "Harborlight Health" }];
    await migrate([legacyPatient(1, { deleted_insurances: [], insurances: [first(1)] })], companies);
    const later = without(first(1, { insurance_company: 5002 }), "carrier");
    await migrate([legacyPatient(1, { deleted_insurances: [], insurances: [later] })], companies);
    const harborlight = await db.first<{ id: number }>(
      sql`SELECT id FROM insurance_company WHERE practice_id = ${practice.id} AND external_id = 5002`,
    );
    expect(await rowOf(10)).toMatchObject({ carrier: null, insurance_company: harborlight?.id });
  });
});

test("verification finds no difference after companies are renamed or added", async () => {
  const company = await call("POST", "insurance_companies", {
    token,
    body: { practice: practice.id, carrier: "Fernhill Mutual" },
  });
  expect(company.status, JSON.stringify(company.body)).toBe(201);
  const named = (carrier: string) => ({ carrier, insurance_company: null });
  const patients = [
    legacyPatient(1, { insurances: [first(1, named("Fernhill Mutual"))] }),
    legacyPatient(2, { insurances: [first(2, named("Not Listed Yet"))] }),
    legacyPatient(3, { insurances: [first(3, named("Fernhill Mutual"))] }),
  ];
  const runId = await migrate(patients);
  expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
  const again = await migrate([...patients, legacyPatient(4)]);
  await call("PATCH", `insurance_companies/${company.body.id}`, { token, body: { carrier: "Fernhill" } });
  await call("POST", "insurance_companies", { token, body: { practice: practice.id, carrier: "Not Listed Yet" } });
  expect(await verify(practice.id, again)).toMatchObject({ different: 0, changed_since: 0 });
});
