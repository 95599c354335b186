// The description matches the server: parameters, their defaults and bounds.
import { describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { describeApi } from "@/lib/api/openapi/document";
import type { JsonSchema, Operation, Parameter } from "@/lib/api/openapi/schema";

const document = describeApi(apiRoutes);

function operation(id: string): Operation {
  const found = Object.values(document.paths)
    .flatMap(Object.values)
    .find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`no operation is called ${id}`);
  return found;
}

function parameters(id: string): Record<string, Parameter> {
  const all = operation(id).parameters.map((one) =>
    "$ref" in one ? document.components.parameters[one.$ref.split("/").at(-1) as string] : one,
  ) as Parameter[];
  return Object.fromEntries(all.map((one) => [one.name, one]));
}

describe("a parameter", () => {
  test.each([
    ["medications_list", "permanent", "Only records with one of these values of `thread.is_permanent`."],
    ["policies_archive", "permanent", "Permanently delete an archived policy with its versions and images."],
    ["appointments_list", "from_date", "Only records whose `scheduled_date` is at or after this."],
    ["bills_list", "to_service_date", "Only records whose `service_date` is at or before this."],
    [
      "visit_notes_list",
      "unsigned",
      "With `true`, only records without `signed_date`. With `false`, only records with it.",
    ],
    ["packaged_medications_list", "is_deleted", "With `true`, only records with `deleted_date`. With"],
    ["contacts_search_list", "q", "Only records with words that begin with each of these, in their names and `npi`."],
    ["ccda_get", "template", "The kind of document."],
    ["insurance_cards_delete", "rank", "The insurance whose card is deleted: 1 primary"],
    ["incoming_files_image", "size", "`print` is the page as received"],
    ["reports_print", "print_header", "The ID of a print header, whose text replaces"],
  ])("of %s called %s is described", (id, name, words) => {
    expect(parameters(id)[name]?.description).toContain(words);
  });

  test("filters by the field of its name unless it has a description", () => {
    // The contract names the insurances, phones and master of a patient this way.
    const nested = ["member_id", "group_id", "phone_number", "insurance_company", "insurance_plan", "master"];
    let checked = 0;
    for (const methods of Object.values(document.paths)) {
      const list = methods.get;
      if (!list) continue;
      const success = (list.responses[200] as { content?: Record<string, { schema?: unknown }> }).content;
      const fields = fieldsBelow(success?.["application/json"]?.schema);
      for (const { name, description = "" } of Object.values(parameters(list.operationId))) {
        if (description !== `Only records with this \`${name}\`.`) continue;
        checked++;
        expect([list.operationId, name, fields.has(name) || nested.includes(name)]).toEqual([
          list.operationId,
          name,
          true,
        ]);
      }
    }
    expect(checked).toBeGreaterThan(10);
  });

  test("shows the default and maximum of a page, and the limit of a repeatable parameter", () => {
    expect(parameters("allergies_list").limit?.schema).toEqual({
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 25,
    });
    expect(parameters("allergies_list").patient?.schema).toMatchObject({ type: "array", maxItems: 100 });
    expect(parameters("incoming_files_image").size?.schema).toMatchObject({ default: "preview" });
  });

  test("is required if it belongs to a signed link", () => {
    for (const id of ["files_get", "card_images_get"]) {
      const { expires, signature } = parameters(id);
      expect([expires?.required, signature?.required]).toEqual([true, true]);
      expect([expires?.schema.default, signature?.schema.default]).toEqual([undefined, undefined]);
    }
  });

  test("orders policies by fields that they have", () => {
    const { enum: fields, default: initial } = parameters("policies_list").order_by?.schema ?? {};
    expect([fields, initial]).toEqual([["id", "-id", "created_date", "-created_date"], undefined]);
  });
});

test("openapi.json is alone in its group", () => {
  const all = Object.values(document.paths).flatMap(Object.values);
  const described = all.filter(({ tags }) => tags.includes("Description")).map(({ operationId }) => operationId);
  expect(described).toEqual(["openapi"]);
  expect(operation("files_get").tags).toEqual(["Patient document"]);
});

test("an operation that can sign names the scope that signing requires, unless that is its own scope", () => {
  const says = (id: string) => operation(id).description?.includes("also requires `system/visit_notes.write`") ?? false;
  for (const id of ["reports_update", "reports_create", "non_visit_notes_update", "letters_replace"])
    expect([id, says(id)]).toEqual([id, true]);
  expect(operation("reports_update").description).toContain("`signed_by` or `signed_date`");
  expect(operation("patient_incoming_files_create").description).toContain("`sign_off`");
  for (const id of ["visit_notes_update", "reports_get", "allergies_create"])
    expect([id, says(id)]).toEqual([id, false]);
});

describe("a response", () => {
  const describedResponses = (id: string) =>
    operation(id).responses as Record<string, { headers?: object; content?: object }>;
  const headers = (id: string, status = 200) => Object.keys(describedResponses(id)[status]?.headers ?? {});

  test("can have any type if it is a file that keeps the upload's type", () => {
    for (const id of ["files_get", "report_files_get", "incoming_files_file"])
      expect([id, Object.keys(describedResponses(id)[200]?.content ?? {})]).toEqual([id, ["*/*"]]);
    for (const id of ["files_get", "reports_print", "card_images_get"])
      expect(headers(id)).toContain("Content-Disposition");
  });

  test("says since when legacy insurances are deprecated", () => {
    for (const id of ["patients_list", "patients_get", "patients_replace", "patients_update"])
      expect(headers(id)).toEqual(expect.arrayContaining(["Deprecation", "Sunset", "Link"]));
    expect(headers("patients_create", 201)).toEqual(expect.arrayContaining(["Deprecation", "Sunset", "Link"]));
    expect(headers("patients_create", 200)).toContain("Deprecation");
    expect(document.components.headers.Sunset?.description).toContain("Fri, 31 Oct 2025");
    expect(document.components.schemas.Patient?.properties?.insurances).toMatchObject({
      description: expect.stringContaining("31 October 2025"),
    });
    for (const id of ["insurance_cards_list", "insurance_cards_create", "insurance_cards_delete"])
      expect(operation(id).description).toContain("31 October 2025");
  });

  test.each([
    ["report_delegates_create", 201, false, true],
    ["report_notes_create", 201, true, true],
    ["patient_provider_team_members_create", 201, true, true],
    ["physicians_list_availabilities", 200, false, true],
    ["card_images_list", 200, false, true],
    ["subscriptions_create", 201, true, false],
    ["subscriptions_get", 200, false, false],
    ["office_staff_get", 200, false, false],
    ["ccda_get", 200, false, false],
  ])("to %s has the headers that the server sends", (id, status, location, etag) => {
    const known = headers(id, status);
    expect([known.includes("Location"), known.includes("ETag")]).toEqual([location, etag]);
  });

  test("has its version if it is a 304", () => {
    expect(Object.keys(document.components.responses.NotModified?.headers ?? {})).toContain("ETag");
  });
});

describe("a field", () => {
  const field = (schema: string, name: string) => document.components.schemas[schema]?.properties?.[name] as JsonSchema;

  test.each([
    ["Subscription", "created_date"],
    ["Subscription", "deleted_date"],
    ["PublishedEvent", "processed_date"],
  ])("for a time has the format date-time: %s.%s", (schema, name) => {
    expect(field(schema, name).format).toBe("date-time");
  });

  test("has the contract's type even if it is always empty", () => {
    expect(field("Patient", "occupation")).toEqual({ type: ["string", "null"], maxLength: 100 });
    expect(field("Patient", "merged_into_chart").type).toEqual(["integer", "null"]);
    expect(JSON.stringify(field("Patient", "consents"))).toContain("consented");
    expect(Object.values(document.components.schemas).filter(({ type }) => type === "null")).toEqual([]);
  });

  test("describes its content and the type of its values", () => {
    expect(field("Bill", "service_location").anyOf?.[0]).toEqual({ $ref: "#/components/schemas/ServiceLocation" });
    expect(field("PatientDrugIntolerance", "status")).toEqual({ type: "integer", enum: [1, 2] });
    expect(field("EligibilityUsage", "start_date")).toEqual({ type: "string", format: "date" });
    expect(parameters("reports_print").print_header?.schema).toEqual({ type: "integer" });
    expect(JSON.stringify(document)).not.toContain('"format":"base64"');
  });
});

test("examples neither sign anything nor contain made-up IDs", () => {
  for (const [name, { value }] of Object.entries(document.components.examples)) {
    const text = JSON.stringify(value);
    expect([name, /-\d{4,}[,}\]]/.test(text)]).toEqual([name, false]);
    const isBody = /(Input|Patch|Body|Form)$/.test(name);
    const isSigned = Object.keys(value ?? {}).some((field) => /^sign(ed)?_(date|by)$/.test(field));
    expect([name, isBody && isSigned]).toEqual([name, false]);
    expect([name, text === "{}"]).toEqual([name, false]);
  }
  const { PatientPhotoInput } = document.components.examples;
  expect((PatientPhotoInput?.value as { base_64?: string } | undefined)?.base_64).toMatch(/^iVBOR/);
});

/** Lists the names of all fields below a schema. */
function fieldsBelow(schema: unknown): Set<string> {
  const text = JSON.stringify(schema ?? {});
  const found = new Set<string>();
  for (const [, name = ""] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
    const { properties = {} } = document.components.schemas[name] ?? {};
    for (const field of [...Object.keys(properties), ...fieldsBelow({ properties: properties.results })])
      found.add(field);
  }
  return found;
}
