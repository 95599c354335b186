// Filters of lists: enumerated values, days and times, long names.
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { apiRoutes } from "@/generated/api-routes";
import { listRoutes } from "@/lib/api/openapi/document";
import { call } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let { patient, practice, physician, get, create } = {} as PracticeClient;
beforeAll(async () => {
  ({ patient, practice, physician, get, create } = await seedPracticeClient());
});

const idsOf = async (path: string): Promise<number[]> => {
  const { status, body } = await get(path);
  expect([path, status, body.results ? [] : body]).toEqual([path, 200, []]);
  return body.results.map(({ id }: { id: number }) => id);
};

describe("a filter by an enumerated value", () => {
  test.each([
    ["problems", "status"],
    ["appointments", "time_slot_type"],
    ["recurring_event_groups", "time_slot_type"],
    ["vaccine", "creation_type"],
    ["incoming_files", "process_state"],
    ["thread_members", "status"],
    ["ancillary_companies", "type"],
    ["patients", "sex"],
  ])("%s?%s= accepts its described values in any case, and rejects others by name", async (path, name) => {
    const described = (await call("GET", "openapi.json")).body;
    const { schema } = described.paths[`/api/2.0/${path}`].get.parameters
      .map((one: { $ref?: string }) =>
        one.$ref ? described.components.parameters[one.$ref.split("/").at(-1) ?? ""] : one,
      )
      .find((one: { name: string }) => one.name === name);
    const words: string[] = schema.enum ?? schema.items.enum;
    expect(words.length).toBeGreaterThan(1);
    for (const word of words)
      for (const sent of [word, word.toLowerCase(), word.toUpperCase()])
        await idsOf(`${path}?${name}=${encodeURIComponent(sent)}`);
    const message = `Must be one of ${words.map((word) => JSON.stringify(word)).join(", ")}.`;
    for (const sent of ["bogus", "", "constructor", `${words[0]} `]) {
      const { status, body } = await get(`${path}?${name}=${encodeURIComponent(sent)}`);
      expect([status, body]).toEqual([400, { [name]: [message] }]);
    }
  });

  test("finds records in any case", async () => {
    const id = await create("problems/", {
      patient,
      practice,
      description: "Cough",
      status: "Resolved",
      start_date: "2026-01-01",
      dx: [],
    });
    expect(await idsOf("problems/?status=RESOLVED&status=controlled")).toEqual([id]);
    expect(await idsOf("problems/?status=Active")).toEqual([]);
    expect(await idsOf("patients/?sex=female")).toEqual([patient]);
    expect(await idsOf("patients/?sex=MALE")).toEqual([]);
  });
});

describe("a date as a limit for a time", () => {
  const day = "2024-05-05";

  test("covers its entire day in UTC, as a lower or upper limit", async () => {
    const at = ["2024-05-04T23:59:59.999Z", `${day}T00:00:00Z`, `${day}T23:59:59.999Z`, "2024-05-06T00:00:00Z"];
    const ids: number[] = [];
    for (const document_date of at)
      ids.push(await create("message_threads/", { patient, practice, document_date, chart_date: document_date }));
    const found = async (query: string) =>
      (await idsOf(`message_threads/?${query.replaceAll("__", "document_date__")}`)).map((id) => ids.indexOf(id));
    expect(await found(`__gte=${day}&__lte=${day}`)).toEqual([1, 2]);
    expect(await found(`__gt=${day}`)).toEqual([3]);
    expect(await found(`__lt=${day}`)).toEqual([0]);
    expect(await found(`__gte=${day}`)).toEqual([1, 2, 3]);
    expect(await found(`__lte=${day}`)).toEqual([0, 1, 2]);
    expect(await found(`__gt=${day}&__lt=2024-05-06`)).toEqual([]);
    expect(await found(`__gte=${day}&__lte=${day}&order_by=-document_date`)).toEqual([2, 1]);
    expect(await found(`__gt=${day}T00:00:00Z&__lt=2024-05-06T00:00:00%2B00:00`)).toEqual([2]);
    expect(await found(`__gte=${day}T00:00:00Z&__lte=${day}T00:00:00Z`)).toEqual([1]);
    expect(await found("__lte=9999-12-31")).toEqual([0, 1, 2, 3]);
  });

  test("finds a calendar's day, and the patients changed on a day", async () => {
    const scheduled_date = "2024-05-05T14:00:00Z";
    const id = await create("appointments/", { patient, practice, physician, scheduled_date, duration: 15 });
    expect(await idsOf(`appointments/?from_date=${day}&to_date=${day}`)).toEqual([id]);
    expect(await idsOf(`appointments/?from_date=2024-05-06`)).toEqual([]);
    expect(await idsOf(`appointments/?to_date=2024-05-04`)).toEqual([]);
    const today = (await get(`patients/${patient}/`)).body.last_modified.slice(0, 10);
    expect(await idsOf(`patients/?last_modified__gte=${today}&last_modified__lte=${today}`)).toEqual([patient]);
    expect(await idsOf(`patients/?last_modified__gt=${today}`)).toEqual([]);
    expect(await idsOf(`patients/?last_modified__lt=${today}`)).toEqual([]);
  });

  test("means the same in every list, as described", () => {
    const bounds = listRoutes(apiRoutes).flatMap(({ path, declaration }) =>
      Object.entries((declaration.query ?? {}) as Record<string, z.ZodType>).flatMap(([name, schema]) => {
        const [time, date, text] = [`${day}T12:00:00.000Z`, day, "text"].map((sent) => schema.safeParse(sent));
        return time?.data === `${day}T12:00:00.000Z` && date?.success && !text?.success
          ? [{ name, path, schema, date: date.data }]
          : [];
      }),
    );
    expect(bounds.length).toBeGreaterThan(50);
    for (const { name, path, schema, date } of bounds) {
      const description =
        schema.description ?? (schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType).description : "") ?? "";
      const dayRule = "A date without a time (?:in|ex)cludes that whole day in UTC\\.$";
      const isAfter = new RegExp(`is (at or )?after this\\. ${dayRule}`).exec(description);
      const isBefore = new RegExp(`is (at or )?before this\\. ${dayRule}`).exec(description);
      const isIncluded = Boolean((isAfter ?? isBefore)?.[1]);
      const begins = Boolean(isAfter) === isIncluded;
      expect([path, name, date]).toEqual([path, name, `${day}T${begins ? "00:00:00.000" : "23:59:59.999"}Z`]);
    }
  });

  test("is reported if it is neither a date nor a time", async () => {
    for (const wrong of ["yesterday", "2024-02-30", "", "2024-05-05T25:00:00Z"]) {
      const { status, body } = await get(`lab_orders/?document_date__gte=${wrong}`);
      expect([status, body]).toEqual([
        400,
        { document_date__gte: ["Must be an ISO 8601 time, or a date YYYY-MM-DD."] },
      ]);
    }
  });
});

describe("a long name", () => {
  test("is compared as a whole, and matches no other name", async () => {
    const test = (name: string) => create("imaging_order_tests/", { practice, name });
    const names = ["A", "B"].map((end) => `${"N".repeat(210)}${end}`);
    const ids = [await test(names[0] as string), await test(names[1] as string)];
    for (const [index, name] of names.entries())
      expect(await idsOf(`imaging_order_tests/?name=${name.toLowerCase()}`)).toEqual([ids[index]]);
    expect(await idsOf(`imaging_order_tests/?name=${"N".repeat(200)}`)).toEqual([]);
    const longest = await test("é".repeat(255));
    expect(await idsOf(`imaging_order_tests/?name=${encodeURIComponent("É".repeat(255))}`)).toEqual([longest]);
    const { status, body } = await get(`imaging_order_tests/?name=${"N".repeat(256)}`);
    expect([status, body]).toEqual([400, { name: ["Must have at most 255 characters."] }]);
  });

  test("differs from others with the same beginning", async () => {
    const name = (end: string) => `${"💊".repeat(200)}x${"y".repeat(3_000)}${end}`;
    const type = async (named: string) => create("appointment_types/", { practice, name: named, default_duration: 15 });
    const [one, other] = [await type(name("1")), await type(name("2"))];
    for (const [id, end] of [
      [one, "1"],
      [other, "2"],
    ] as const)
      expect(await idsOf(`appointment_types/?name=${encodeURIComponent(name(end))}`)).toEqual([id]);
    expect(await idsOf(`appointment_types/?name=${encodeURIComponent("💊".repeat(200))}`)).toEqual([]);
  });
});
