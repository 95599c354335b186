// Errors are worded to help the sender, never in the validator's own words.
import fs from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ERROR_STATUS } from "@/lib/platform/http/response";
import { toFieldErrors, validate } from "@/lib/platform/http/validation";
import { call } from "../support/api";
import { VALIDATOR_MESSAGES } from "../support/bad-values";
import { pngImage } from "../support/images";
import { type PracticeClient, seedPracticeClient } from "../support/practice";
import { ENDPOINTS } from "../support/world";

const id = z.int().positive();
const place = z.union([id, z.object({ id, name: z.string() })]);

/** Each kind of problem that the validator reports. */
const PROBLEMS: readonly [code: string, schema: z.ZodType, value: unknown, expected: unknown][] = [
  ["invalid_type", z.string(), undefined, "This field is required."],
  ["invalid_type", z.string(), null, "This field may not be null."],
  ["invalid_type", z.string(), [1], "Must be a string."],
  ["invalid_type", z.number(), "1", "Must be a number."],
  ["invalid_type", z.int(), 1.5, "Must be an integer."],
  ["invalid_type", z.boolean(), "yes", "Must be true or false."],
  ["invalid_type", z.array(id), {}, "Must be a list."],
  ["invalid_type", z.object({}), [], "Must be an object."],
  ["invalid_type", z.record(z.string(), id), [1], "Must be an object."],
  ["invalid_type", z.date(), "2024-05-05", "Must be of another type."],
  ["invalid_type", z.map(z.string(), id), 1, "Must be of another type."],
  ["invalid_type", z.never(), 1, "Must be of another type."],
  ["invalid_value", z.enum(["a", "b"]), "c", 'Must be one of "a", "b".'],
  ["invalid_value", z.enum(["a", "b"]), undefined, "This field is required."],
  ["invalid_value", z.literal(1), 2, "Must be one of 1."],
  ["too_big", z.string().max(2), "abc", "Must have at most 2 characters."],
  ["too_big", z.array(id).max(1), [1, 2], "Must have at most 1 entry."],
  ["too_big", z.number().max(2), 3, "Must be at most 2."],
  ["too_big", z.number().lt(2), 2, "Must be less than 2."],
  ["too_big", z.int(), 2 ** 60, `Must be at most ${Number.MAX_SAFE_INTEGER}.`],
  ["too_small", z.string().min(1), "", "May not be blank."],
  ["too_small", z.string().min(2), "", "Must have at least 2 characters."],
  ["too_small", z.array(id).min(1), [], "Must have at least 1 entry."],
  ["too_small", z.array(id).min(2), [1], "Must have at least 2 entries."],
  ["too_small", id, 0, "Must be greater than 0."],
  ["too_small", z.number().min(3), 2, "Must be at least 3."],
  ["invalid_format", z.iso.date(), "soon", "Must be a calendar date, YYYY-MM-DD."],
  ["invalid_format", z.iso.datetime(), "soon", "Must be an ISO 8601 time."],
  ["invalid_format", z.email(), "nobody", "Must be an email address."],
  ["invalid_format", z.string().regex(/x/), "y", "Has an invalid format."],
  ["invalid_format", z.ipv4(), "y", "Has an invalid format."],
  ["not_multiple_of", z.number().multipleOf(5), 7, "Must be a multiple of 5."],
  ["unrecognized_keys", z.strictObject({}), { a: 1 }, { a: ["Unknown field."] }],
  ["invalid_union", place, "x", "Must be a number or an object."],
  ["invalid_union", place, undefined, "This field is required."],
  ["invalid_union", place, { name: "x" }, { id: ["This field is required."] }],
  ["invalid_union", place, { id: 0, name: "x" }, { id: ["Must be greater than 0."] }],
  ["invalid_union", z.union([z.literal(1), z.literal("x")]), 2, 'Must be one of 1 or one of "x".'],
  ["invalid_union", z.union([z.email(), z.url()]), "x", "Matches none of the allowed forms."],
  [
    "invalid_union",
    z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]),
    { kind: "c" },
    { kind: ['Must be one of "a", "b".'] },
  ],
  ["invalid_key", z.record(z.string().max(1), id), { ab: 1 }, { ab: ["Is not a valid name."] }],
  ["invalid_element", z.map(z.any(), id), new Map([[{}, 0]]), "Is not valid."],
  ["custom", z.string().refine(() => false), "x", "Is not valid."],
  ["custom", z.string().refine(() => false, { error: "Is taken." }), "x", "Is taken."],
];

describe("a problem of the validator", () => {
  test.each(PROBLEMS)("%s: %#", (_code, schema, value, expected) => {
    const { error } = validate(z.object({ field: schema }), { field: value });
    const fields = toFieldErrors(error?.issues ?? []);
    expect(fields).toEqual({ field: typeof expected === "string" ? [expected] : expected });
    expect(JSON.stringify(fields)).not.toMatch(VALIDATOR_MESSAGES);
  });

  test("is covered above for every kind", () => {
    expect(new Set(PROBLEMS.map(([code]) => code))).toEqual(new Set(Object.keys(z.ZodIssueCode)));
  });
});

describe("a response", () => {
  let { token, patient, practice, physician, get, post } = {} as PracticeClient;
  beforeAll(async () => {
    ({ token, patient, practice, physician, get, post } = await seedPracticeClient());
  });

  test.each([
    ["lab_orders/?limit=2&limit=3", { limit: ["May be given only once."] }],
    ["lab_orders/?unsigned=true&unsigned=true", { unsigned: ["May be given only once."] }],
    ["patients/?last_modified__gt=2024-05-05&last_modified__gt=x", { last_modified__gt: ["May be given only once."] }],
    [
      "lab_orders/?document_date__gte=yesterday",
      { document_date__gte: [expect.stringContaining("ISO 8601 time, or a")] },
    ],
    ["medications/?permanent=maybe", { permanent: ['Must be one of "true", "false".'] }],
    ["lab_orders/?patient=1&patient=x", { patient: ["Must be an integer."] }],
    ["lab_orders/?patient=9007199254740993", { patient: ["Is too large."] }],
    ["lab_orders/?patient=9007199254740991&offset=9999999999999999", { offset: ["Is too large."] }],
    ["lab_orders/?offset=1000000001", { offset: ["Must be at most 1000000000."] }],
    [
      "lab_orders/?document_date__gte=2025-01-01T00:00:00+02:00",
      { document_date__gte: ["Must be an ISO 8601 time, or a date YYYY-MM-DD. In a URL, write + as %2B."] },
    ],
  ])("to %s says what is wrong", async (path, expected) => {
    const { status, body } = await get(path);
    expect([status, body]).toEqual([400, expected]);
  });

  test("names what an appointment's place lacks, and rejects a list as a record's own data", async () => {
    const appointment = { patient, practice, physician, scheduled_date: "2026-01-05T09:00:00Z" };
    const placed = (service_location: unknown) => post("appointments/", { ...appointment, service_location });
    expect((await placed({ name: "x" })).body).toEqual({ service_location: { id: ["This field is required."] } });
    expect((await placed("x")).body).toEqual({ service_location: ["Must be a number or an object."] });
    const metadata = { data: [1] };
    expect((await post("appointments/", { ...appointment, metadata })).body).toEqual({
      metadata: { data: ["Must be an object."] },
    });
  });

  test("says that there must be files", async () => {
    const { body } = await post(`patients/${patient}/incoming_files/`, { files: [], document_type: "Lab" });
    expect(body).toEqual({ files: ["Must have at least 1 entry."] });
  });

  test("names what is missing in a form with a card", async () => {
    const policy = await post(`patients/${patient}/policies/`, {
      patient_first_name: "Maria",
      patient_last_name: "Lopez",
      patient_dob: "1980-05-17",
      rank: 1,
    });
    const upload = async (entries: Record<string, string | Blob>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(entries)) body.set(name, value);
      return call("POST", `patients/${patient}/policies/${policy.body.id}/card-images/`, { token, body });
    };
    expect((await upload({ image_rank: "1" })).body).toEqual({ image: ["This field is required."] });
    expect((await upload({ image: "text" })).body).toEqual({
      image: ["Must be a file of a multipart form or an object."],
    });
    const image = new Blob([new Uint8Array(await pngImage(1))]);
    expect((await upload({ image, image_rank: "front" })).body).toEqual({ image_rank: ["Must be a number."] });
    expect((await upload({ image })).status).toBe(201);
    const json = (sent: unknown) =>
      post(`patients/${patient}/policies/${policy.body.id}/card-images/`, { image: sent });
    expect((await json({ base64_content: 5 })).body).toEqual({ image: { base64_content: ["Must be a string."] } });
    expect((await json({})).body).toEqual({ image: { base64_content: ["This field is required."] } });
    for (const blank of ["", " ", "data:image/png;base64,"])
      expect((await json({ base64_content: blank })).body).toEqual({
        image: { base64_content: ["May not be blank."] },
      });
    expect((await json({ base64_content: "?" })).body).toEqual({ image: { base64_content: ["Is not base64."] } });
  });
});

test("the errors guide lists every status, and every code that an operation's description names", () => {
  const guide = fs.readFileSync("docs/guides/errors.md", "utf8");
  const rows = new Map([...guide.matchAll(/^\| (\d{3}) \|.*$/gm)].map(([row, status]) => [status, row]));
  const { client_left: _onlyLogged, version_required: _onlyStaff, ...statuses } = ERROR_STATUS;
  const listed = [...new Set([...Object.values(statuses), 405, 415, 417, 431, 500])].sort().map(String);
  expect([...rows.keys()]).toEqual(listed);
  const named = ENDPOINTS.flatMap(({ declaration }) => [
    ...(declaration.description ?? "").matchAll(/(\d{3}) `(\w+)`/g),
  ]);
  expect(named.length).toBeGreaterThan(5);
  for (const [, status, code] of named) expect(rows.get(status)).toContain(`\`${code}\``);
});
