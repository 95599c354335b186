// What lists are filtered by: words of a list, days and times, long names.
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { apiRoutes } from "@/generated/api-routes";
import { routesOf } from "@/lib/openapi/rules/document";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let { patient, practice, physician, get, made } = {} as PracticeClient;
beforeAll(async () => {
  ({ patient, practice, physician, get, made } = await seedPracticeClient());
});

const idsOf = async (path: string): Promise<number[]> => {
  const { status, body } = await get(path);
  expect([path, status, body.results ? [] : body]).toEqual([path, 200, []]);
  return body.results.map(({ id }: { id: number }) => id);
};

describe("a date alone as a bound of a time", () => {
  const day = "2024-05-05";

  test("is its whole day in UTC, in and out", async () => {
    const at = ["2024-05-04T23:59:59.999Z", `${day}T00:00:00Z`, `${day}T23:59:59.999Z`, "2024-05-06T00:00:00Z"];
    const ids: number[] = [];
    for (const document_date of at)
      ids.push(await made("message_threads/", { patient, practice, document_date, chart_date: document_date }));
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

  test("finds a calendar's day, and the patients changed on one", async () => {
    const scheduled_date = "2024-05-05T14:00:00Z";
    const id = await made("appointments/", { patient, practice, physician, scheduled_date, duration: 15 });
    expect(await idsOf(`appointments/?from_date=${day}&to_date=${day}`)).toEqual([id]);
    expect(await idsOf(`appointments/?from_date=2024-05-06`)).toEqual([]);
    expect(await idsOf(`appointments/?to_date=2024-05-04`)).toEqual([]);
    const today = (await get(`patients/${patient}/`)).body.last_modified.slice(0, 10);
    expect(await idsOf(`patients/?last_modified__gte=${today}&last_modified__lte=${today}`)).toEqual([patient]);
    expect(await idsOf(`patients/?last_modified__gt=${today}`)).toEqual([]);
    expect(await idsOf(`patients/?last_modified__lt=${today}`)).toEqual([]);
  });

  test("means the same in every list, which its description says", () => {
    const bounds = routesOf(apiRoutes).flatMap(({ path, declaration }) =>
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
      const isAfter = /is (at or )?after this\. A date alone is its whole day in UTC, (not )?included\.$/.exec(
        description,
      );
      const isBefore = /is (at or )?before this\. A date alone is its whole day in UTC, (not )?included\.$/.exec(
        description,
      );
      const isIncluded = Boolean((isAfter ?? isBefore)?.[1]);
      const begins = Boolean(isAfter) === isIncluded;
      expect([path, name, date]).toEqual([path, name, `${day}T${begins ? "00:00:00.000" : "23:59:59.999"}Z`]);
    }
  });

  test("that is neither a date nor a time is told so", async () => {
    for (const wrong of ["yesterday", "2024-02-30", "", "2024-05-05T25:00:00Z"]) {
      const { status, body } = await get(`lab_orders/?document_date__gte=${wrong}`);
      expect([status, body]).toEqual([
        400,
        { document_date__gte: ["Must be an ISO 8601 time, or a date YYYY-MM-DD."] },
      ]);
    }
  });
});
