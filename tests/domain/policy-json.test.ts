// PostgreSQL writes policies as JSON. It has to be what `toPolicyDto` makes of their rows.
import { beforeAll, describe, expect, test } from "vitest";
import { mintAccess } from "@/lib/access/identity/access";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { toPolicyDto } from "@/lib/insurance/policies/dto";
import { BY_POSITION, getPolicy, getPolicyJson, listPolicies } from "@/lib/insurance/policies/queries";
import { setClock } from "@/lib/platform/clock";
import { type Basics, call, MARIA, seedBasics, seedCompany, seedPatient, seedPlan } from "../support/api";
import { imageContent } from "../support/images";

let basics: Basics;
let patient: number;

beforeAll(async () => {
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});

const access = () => mintAccess({ practices: [basics.enabled], actor: { type: "system", id: null, name: "test" } });

async function create(fields: object): Promise<number> {
  const path = `patients/${patient}/policies`;
  const { body } = await call("POST", path, { token: basics.token, body: { ...MARIA, ...fields } });
  expect(body).toMatchObject({ id: expect.any(Number) });
  return body.id;
}

/** Reads a policy both ways. Spaces between values may differ. */
async function readBoth(policy: number) {
  const row = await getPolicy(access(), patient, policy);
  const { version, json } = await getPolicyJson(access(), patient, policy);
  expect(version).toBe(row.version);
  return { row, json: JSON.stringify(JSON.parse(json)), expected: JSON.stringify(toPolicyDto(row)) };
}

describe("the JSON of a policy", () => {
  test("has all fields, in their order", async () => {
    const insurance_company = await seedCompany(basics.enabled);
    const insurance_plan = await seedPlan(basics.enabled, insurance_company);
    const dates = { start_date: "0001-01-01", end_date: "9999-12-31", payment_program: "Commercial - Other" };
    const references = { insurance_company, insurance_plan, relationship_to_insured: "Spouse" };
    const amounts = { copay: "-0.5", deductible: "12345678.9" };
    const special = ["insurance_company", "insurance_plan", "relationship_to_insured", "payment_program"];
    const given = INSURANCE_FIELDS.filter(
      (field) => !special.includes(field) && !/_date$|^copay$|^deductible$/.test(field),
    );
    const texts = Object.fromEntries(given.map((field) => [field, "1"]));
    const policy = await create({ rank: 1, ...texts, ...dates, ...references, ...amounts });
    const { row, json, expected } = await readBoth(policy);
    expect(INSURANCE_FIELDS.filter((field) => row[field] === null)).toEqual([]);
    expect(json).toBe(expected);
    expect(JSON.parse(json)).toMatchObject({ copay: "-0.50", deductible: "12345678.90", start_date: "0001-01-01" });
  });

  test("has null for empty fields, and no images", async () => {
    const { json, expected } = await readBoth(await create({ rank: null }));
    expect(json).toBe(expected);
    expect(JSON.parse(json)).toMatchObject({ rank: null, carrier: null, copay: null, card_images: [] });
  });

  test.each([
    ['quotes " and \\ backslashes'],
    ["tab \t line \n return \r bell \u0007 escape \u001b delete \u007f"],
    ["é 保険 🩺 \u2028 \ufeff </script>"],
    ["0x00 \\u0000 \\n"],
  ])("keeps text: %j", async (plan) => {
    const { json, expected } = await readBoth(await create({ plan }));
    expect(json).toBe(expected);
    expect(JSON.parse(json).plan).toBe(plan);
  });

  test.each([0, 60, 999])("has times to the millisecond: %d", async (ms) => {
    const minute = 60_000;
    const time = new Date(Math.ceil(Date.now() / minute) * minute + ms);
    setClock({ now: () => time });
    const policy = await create({ rank: 2 });
    setClock();
    const { json, expected } = await readBoth(policy);
    expect(json).toBe(expected);
    expect(JSON.parse(json).created_date).toBe(time.toISOString());
  });

  test("lists card images by image rank", async () => {
    const policy = await create({ rank: 3 });
    const path = `patients/${patient}/policies/${policy}/card-images`;
    for (const image_rank of [2, 1]) {
      const body = { image: await imageContent(image_rank), image_rank };
      expect((await call("POST", path, { token: basics.token, body })).status).toBe(201);
    }
    const { json, expected } = await readBoth(policy);
    expect(json).toBe(expected);
    expect(JSON.parse(json).card_images).toMatchObject([{ image_rank: 1 }, { image_rank: 2 }]);
  });
});

describe("a list of policies", () => {
  const first = { limit: 100, order: BY_POSITION };

  test.each([
    ["the first page", {}, first],
    ["a filtered list", { status: "archived" as const }, first],
    ["a list by time of creation", {}, { limit: 100, order: "created_date" }],
    ["the policies at a time", { as_of: "2100-01-01T00:00:00Z" }, first],
  ])("has the same policies: %s", async (_name, filter, page) => {
    const { rows } = await listPolicies(access(), patient, filter, page);
    expect(rows.length).toBeGreaterThan(1);
    for (const { id, json } of rows) expect(JSON.stringify(JSON.parse(json))).toBe((await readBoth(id)).expected);
  });
});
