// Every field of the described responses is in some response once records are filled, or docs/contract.md says why it isn't.
import fs from "node:fs";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { resources } from "@/generated/resources";
import type { ResponseObject } from "@/lib/api/openapi/schema";
import { db, sql } from "@/lib/platform/db/sql";
import { call, tokenFor } from "../support/api";
import { CarriedFields } from "../support/contract/carried-fields";
import { generationContext } from "../support/contract/described-behavior";
import { apiDescription, OPERATIONS, type Operation } from "../support/contract/operations";
import { type Size, valuesOf } from "../support/generated-values";
import { loadFilled } from "../support/sample-records";
import { seedWorld, type World } from "../support/world";

const SEED = 20_261_128;

const fields = new CarriedFields(apiDescription.components.schemas);
let world: World;

/** Calls an operation and notes which fields its response has. A body that is rejected is sent again without what was rejected. */
async function observe(operation: Operation, path: string, body?: unknown): Promise<void> {
  const { token } = world.basics;
  const response = await call(operation.method, path, { token, ...(body === undefined ? {} : { body }) });
  const described = operation.description.responses[response.status] as ResponseObject | undefined;
  const schema = described?.content?.["application/json"]?.schema;
  expect([path, response.status >= 500 && response.body]).toEqual([path, false]);
  if (response.status < 300 && schema) fields.observe(schema, response.body);
  if (response.status !== 400 || typeof body !== "object" || body === null) return;
  const accepted = Object.entries(body).filter(([name]) => !(name in response.body));
  if (accepted.length < Object.keys(body).length) await observe(operation, path, Object.fromEntries(accepted));
}

const operationAt = (method: string, path: string) =>
  OPERATIONS.find((one) => one.method === method && one.path === path) as Operation;

/** Sends a body that no schema shows how to fill. */
async function send(method: string, path: string, body?: unknown): Promise<void> {
  await observe(operationAt(method, path), world.at(path), body);
}

/** Fills records as `npm run load` does, except for resources whose stored values differ from their responses. */
async function loadRecords({ created }: { created: boolean }): Promise<void> {
  const loaded = resources.filter(({ operations, path, stored }) => operations.length > 0 && !path && !stored);
  for (const resource of loaded.filter(({ operations }) => operations.includes("create") === created)) {
    const { known } = contextOf({ path: resource.name }, "maximal");
    const id = await loadFilled(resource, world.owner, { ...known, ncpdpid: "2010043" });
    world.rename(resource.name, id);
  }
}

/** Returns what generated bodies need to know, with IDs of records in nested values. */
function contextOf(operation: Pick<Operation, "path">, size: Size) {
  const { records } = world;
  const context = generationContext(operation, world, size);
  const vendor = { id: records.lab_vendors, name: "LAB", display_name: "Lab" };
  const nested = {
    ...{ "facility.vendor": vendor, "site.vendor": vendor, "vendor.id": vendor.id, handout: records.handouts },
    ...{ preferred_service_location: records.service_locations, end_date: "2030-01-01", start_date: "2020-01-01" },
  };
  return { ...context, known: { ...nested, ...context.known } };
}

/** Sends filled bodies to the operations that have one. */
async function sendFilledBodies(): Promise<void> {
  for (const operation of OPERATIONS.filter(({ method }) => method !== "GET" && method !== "DELETE")) {
    const { path, description } = operation;
    if (path in world.bodies) await observe(operation, world.at(path), world.bodies[path]);
    const schema = description.requestBody?.content["application/json"]?.schema;
    if (!schema) continue;
    for (const size of ["any", "maximal"] as const) {
      const values = valuesOf(schema, contextOf(operation, size));
      for (const body of fc.sample(values, { numRuns: 2, seed: SEED })) await observe(operation, world.at(path), body);
    }
  }
}

/** Fills what depends on other records. */
async function fillRelated(): Promise<void> {
  const { records, owner } = world;
  const { insurance_companies: insurance_company, insurance_plans: insurance_plan } = records;
  const insured = { rank: "primary", insurance_company, insurance_plan };
  await send("PATCH", "patients/[id]/policies/[policy_id]", { carrier: "Acme Health", member_id: "A1", rank: 1 });
  await send("POST", "patient_insurances/[id]/eligibility", { group_name: "Bay Family Practice" });
  for (const report of ["eligibility", "eligibility_full_report"])
    await send("GET", `patient_insurances/[id]/${report}`);
  await send("PATCH", "patients/[id]", { insurances: [insured] });
  await send("POST", "reports/[id]/delegates", { group: records.staff_groups });
  const block = { weekday: 1, start_time: "09:00", end_time: "10:00", service_location_id: records.service_locations };
  await send("PUT", "physicians/[id]/availabilities", { availabilities: [block] });
  await send("POST", "billing_codes", { practice: owner.practice, code: "99213", description: "Office visit" });
  const cpt = { cpt: "99213", dxs: [], unit_charge: "80.00", units: "1" };
  await send("PATCH", "bills/[id]", { cpts: [cpt], billing_raw_error: "Rejected" });
  await fillListener();
  await call("DELETE", world.at("visit_notes/[id]"), { token: world.basics.token });
  await db.run(sql`UPDATE staff_user SET email = 'ada.reyes@example.org' WHERE id = ${world.known.reviewer_user}`);
}

/** Changes a record as another client, so that a listener of this client has an event. */
async function fillListener(): Promise<void> {
  const { token, organization, enabled, disabled } = world.basics;
  const { body } = await call("POST", "webhook_listeners", { token, body: { resources: ["patients"] } });
  const other = await tokenFor({ organizationId: organization, practices: [enabled, disabled] });
  await call("PATCH", world.at("patients/[id]"), { token: other, body: { notes: "Prefers mornings." } });
  await observe(operationAt("GET", "webhook_listeners/[listener_id]"), `webhook_listeners/${body.listener_id}`);
}

async function readAll(): Promise<void> {
  for (const operation of OPERATIONS.filter(({ method }) => method === "GET")) {
    await observe(operation, `${world.at(operation.path)}${operation.path.includes("[") ? "" : "?limit=100"}`);
  }
}

/** Fields that no response has before and after records of resources that clients create are loaded. */
let missing: string[];
let missingBefore: string[];

beforeAll(async () => {
  world = await seedWorld();
  await loadRecords({ created: false });
  await sendFilledBodies();
  await fillRelated();
  await readAll();
  missingBefore = fields.missing();
  await loadRecords({ created: true });
  await readAll();
  await send("PATCH", "patient-provider-team-members/[id]", {});
  missing = fields.missing();
}, 600_000);

/** Reads the fields in a table of docs/contract.md. `*` means any schema. */
function explained(heading: string): string[] {
  const document = fs.readFileSync("docs/contract.md", "utf8");
  const section = document.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  return section.split("\n").flatMap((line) => {
    const [, cell = ""] = line.split("|");
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
  });
}

const isNamed = (field: string, name: string) =>
  name === field || (name.startsWith("*") && field.endsWith(name.slice(1)));

/** Requires that a table has these fields and no others. */
function expectExplained(found: readonly string[], heading: string): void {
  const names = explained(heading);
  expect(found.filter((field) => !names.some((name) => isNamed(field, name)))).toEqual([]);
  expect(names.filter((name) => !found.some((field) => isNamed(field, name)))).toEqual([]);
}

test("fields that no response has are explained, and no others are", () => {
  expectExplained(missing, "Fields that no response has");
});

test("fields that only loaded records have are explained, and no others are", () => {
  const isMissing = new Set(missing);
  expectExplained(
    missingBefore.filter((field) => !isMissing.has(field)),
    "Fields that only loaded records have",
  );
});
