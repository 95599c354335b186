// ?dry_run=true runs the real write, stores nothing, and reports exactly what the write then does.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PolicyEffect } from "@/lib/access/endpoints/policy-effect";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { imageStore } from "@/lib/platform/storage/image-store";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { imageContent } from "@/tests/support/images";
import { snapshot } from "@/tests/support/snapshot";
import { expectStoresAgree, policiesOf } from "@/tests/support/stores";

let basics: Basics;
let token: string;
let patient: number;
let ids: { primary: number; secondary: number; archived: number };
let insurances: { id: number; rank: string }[];

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});

/** Seeds a patient with a primary policy (one card image), a secondary and an archived one. */
async function seed(practice: "enabled" | "disabled"): Promise<void> {
  patient = await seedPatient(basics[practice], basics.physicians[practice]);
  const create = async (body: object) =>
    (await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, ...body } })).body.id as number;
  const archived = await create({ rank: 3, member_id: "C" });
  await call("DELETE", at(`/${archived}`), { token });
  ids = { archived, primary: await create({ rank: 1, member_id: "A" }), secondary: await create({ rank: 2 }) };
  await call("POST", at(`/${ids.primary}/card-images`), { token, body: { image: await imageContent(1) } });
  insurances = (await call("GET", `patients/${patient}`, { token })).body.insurances;
}

const at = (tail = "") => `patients/${patient}/policies${tail}`;
type Request = [method: string, path: string, body?: unknown];
const DEMOGRAPHICS = { first_name: "Maria", last_name: "Lopez", dob: "1980-05-17", sex: "Female" };
const put = (body: object): Request => [
  "PUT",
  `patients/${patient}`,
  { ...DEMOGRAPHICS, caregiver_practice: practiceId, primary_physician: physicianId, ...body },
];
let practiceId: number;
let physicianId: number;

const WRITES: [string, () => Request | Promise<Request>][] = [
  ["creates a policy", () => ["POST", at(), { ...MARIA, rank: 3, member_id: "N" }]],
  ["creates a policy that supersedes another", () => ["POST", at(), { ...MARIA, rank: 1, member_id: "N" }]],
  ["creates an unranked policy", () => ["POST", at(), MARIA]],
  ["updates a policy", () => ["PUT", at(`/${ids.primary}`), { ...MARIA, member_id: "N", plan: null }]],
  ["moves a policy onto another's rank", () => ["PATCH", at(`/${ids.secondary}`), { rank: 1 }]],
  ["changes nothing", () => ["PATCH", at(`/${ids.primary}`), {}]],
  ["archives a policy", () => ["DELETE", at(`/${ids.primary}`)]],
  ["permanently deletes a policy", () => ["DELETE", at(`/${ids.archived}?permanent=true`)]],
  ["restores a policy", () => ["POST", at(`/${ids.archived}/restore`)]],
  [
    "swaps ranks",
    () => [
      "POST",
      at("/reorder"),
      [
        { id: ids.primary, rank: 2 },
        { id: ids.secondary, rank: 1 },
      ],
    ],
  ],
  ["adds a card image", async () => ["POST", at(`/${ids.primary}/card-images`), { image: await imageContent(2) }]],
  [
    "replaces a card image",
    async () => ["POST", at(`/${ids.primary}/card-images`), { image: await imageContent(3), image_rank: 1 }],
  ],
  ["removes a card image", () => ["DELETE", at(`/${ids.primary}/card-images/1`)]],
  [
    "updates legacy insurances by id",
    () => put({ insurances: insurances.map(({ id, rank }) => ({ id, rank, plan: "N" })) }),
  ],
  ["replaces legacy insurances", () => put({ insurances: [{ rank: "primary", member_id: "N" }] })],
  ["ends all legacy insurances", () => put({ insurances: [] })],
  ["renames the patient", () => ["PATCH", `patients/${patient}`, { last_name: "Lopez-Reyes" }]],
  ["changes only a phone", () => ["PATCH", `patients/${patient}`, { phones: [{ phone: "555", phone_type: "Home" }] }]],
  [
    "creates a patient",
    () => ["POST", "patients/?allow_duplicate=true", { ...(put({})[2] as object), insurances: [{ rank: "primary" }] }],
  ],
];

const asDryRun = ([method, path, body]: Request): Request => [
  method,
  `${path}${path.includes("?") ? "&" : "?"}dry_run=true`,
  body,
];
const send = ([method, path, body]: Request) => call(method, path, { token, body });

describe.each(["enabled", "disabled"] as const)("Insurance Versioning %s: a dry run that", (practice) => {
  beforeEach(async () => {
    practiceId = basics[practice];
    physicianId = basics.physicians[practice];
    await seed(practice);
  });

  test.each(WRITES)("%s stores nothing and reports what the write then does", async (_name, request) => {
    const write = await request();
    const before = await snapshot();
    const dry = await send(asDryRun(write));
    expect([dry.status, Object.keys(dry.body).sort()]).toEqual([200, ["effects", "result"]]);
    expect(await snapshot()).toEqual(before);

    const versions = await versionsOfPatient();
    const real = await send(write);
    expect(real.status).toBeLessThan(300);
    expect(shapeOf(dry.body.result)).toEqual(shapeOf(real.status === 204 ? dry.body.result : real.body));
    const target = write[1].startsWith("patients/?") ? (real.body.id as number) : patient;
    const after = await policiesOf(target);
    const changed = after.filter(({ id, version }) => (versions.get(id) ?? 0) < version);
    const removed = [...versions.keys()].filter((id) => target === patient && !after.some((row) => row.id === id));
    const predicted = dry.body.effects as PolicyEffect[];
    const sequence = (rows: Omit<PolicyEffect, "policy">[]) =>
      rows
        .map(({ kind, rank, card_images, changed_fields }) => [kind, rank, card_images, changed_fields].join())
        .sort();
    const did = await Promise.all(changed.map((row) => lastChange(target, row)));
    expect(sequence(predicted.filter(({ kind }) => kind !== "removed"))).toEqual(sequence(did));
    expect(predicted.filter(({ kind }) => kind === "removed").map(({ policy }) => policy)).toEqual(removed);
    if (target === patient) await expectStoresAgree(patient);
  });
});

/** Returns a response without what differs with every write: new IDs, times, signed links. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return value;
  const drawn = /^(id|patient_insurance|patient|master_patient|url)$|date$|^last_(modified|status_change)$/;
  return Object.fromEntries(
    Object.entries(value).map(([field, child]) => [field, drawn.test(field) && child ? "…" : shapeOf(child)]),
  );
}

const WRITABLE = ["rank", "patient_first_name", "patient_last_name", "patient_dob", ...INSURANCE_FIELDS];

/** Returns what the last version of a policy did, as an effect. */
async function lastChange(of: number, { id, version, rank, card_images }: PolicyRow) {
  const { body } = await call("GET", `patients/${of}/policies/${id}/versions/${version}`, { token });
  const changed_fields = WRITABLE.filter((field) => field in body.changes);
  return { kind: body.kind, rank, card_images: card_images.length, changed_fields };
}

async function versionsOfPatient(): Promise<Map<number, number>> {
  return new Map((await policiesOf(patient)).map(({ id, version }) => [id, version]));
}

describe("a dry run", () => {
  beforeEach(async () => {
    practiceId = basics.enabled;
    physicianId = basics.physicians.enabled;
    await seed("enabled");
  });

  test("is rejected like the real write", async () => {
    const wrong: [Request, number][] = [
      [["POST", at(), { ...MARIA, patient_first_name: "Nobody" }], 422],
      [["POST", at(), {}], 400],
      [["PATCH", at(`/${ids.archived}`), { member_id: "N" }], 409],
      [["DELETE", at(`/${ids.primary}?permanent=true`)], 409],
      [["DELETE", at(`/${ids.primary}/card-images/9`)], 404],
      [["POST", at("/reorder"), [{ id: ids.primary, rank: 2 }]], 409],
      [put({ insurances: [{ id: 999_999, rank: "primary" }] }), 400],
    ];
    const before = await snapshot();
    for (const [request, status] of wrong) {
      const [dry, real] = [await send(asDryRun(request)), await send(request)];
      expect([request[1], dry.status, dry.body]).toEqual([request[1], status, real.body]);
    }
    expect(await snapshot()).toEqual(before);
  });

  test("lists the rank among the changed fields, also in swaps", async () => {
    const changes = async (...request: Request) =>
      (await send(asDryRun(request))).body.effects.map((effect: PolicyEffect) => [effect.rank, effect.changed_fields]);
    expect(await changes("PATCH", at(`/${ids.secondary}`), { rank: null })).toEqual([[null, ["rank"]]]);
    const swap = [
      { id: ids.primary, rank: 2 },
      { id: ids.secondary, rank: 1 },
    ];
    expect((await changes("POST", at("/reorder"), swap)).sort()).toEqual([
      [1, ["rank"]],
      [2, ["rank"]],
    ]);
    const [first, second] = insurances.map(({ id }) => id);
    const swapped = [
      { id: first, rank: "secondary" },
      { id: second, rank: "primary" },
    ];
    expect((await changes("PATCH", `patients/${patient}`, { insurances: swapped })).sort()).toEqual([
      [1, ["rank"]],
      [2, ["rank"]],
    ]);
  });

  test("stores no bytes of an upload, and deletes none", async () => {
    const image = (await policiesOf(patient)).flatMap(({ card_images }) => card_images)[0];
    const upload: Request = ["POST", at(`/${ids.primary}/card-images`), { image: await imageContent(4) }];
    const { body } = await send(asDryRun(upload));
    const key = new URL(body.result.url).pathname.split("/").at(-1) ?? "";
    expect(await imageStore().get(key)).toBeNull();
    await call("DELETE", at(`/${ids.primary}`), { token });
    await send(asDryRun(["DELETE", at(`/${ids.primary}?permanent=true`)]));
    expect(await imageStore().get(image?.image_key ?? "")).not.toBeNull();
  });
});
