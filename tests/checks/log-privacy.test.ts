// The log stores no patient data from an error.
import { describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { serializeError } from "@/lib/platform/log";
import { owner } from "@/tests/support/owner";

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

describe("the error of a log line", () => {
  test("contains no part of the row that PostgreSQL rejected or of the value that it could not read", async () => {
    await owner.run(sql`CREATE TABLE log_probe (name text PRIMARY KEY CHECK (name <> 'Nobody'))`);
    await owner.run(sql`GRANT ALL ON log_probe TO PUBLIC`);
    const insert = (name: string) => db.run(sql`INSERT INTO log_probe VALUES (${name})`);
    await insert("Maria Lopez");
    for (const [work, code] of [
      [() => insert("Maria Lopez"), "23505"],
      [() => insert("Nobody"), "23514"],
      [() => db.run(sql`SELECT ${"Maria\n    at Lopez"}::text::int`), "22P02"],
    ] as const) {
      const kept = serializeError(await failureOf(work()));
      expect(kept).toMatchObject({ type: "DatabaseError", code, stack: expect.stringMatching(/^at /) });
      expect(kept).not.toHaveProperty("message");
      expect(JSON.stringify(kept)).not.toMatch(/Maria|Lopez|Nobody/);
    }
    expect(serializeError(await failureOf(insert("Maria Lopez")))).toMatchObject({
      constraint: "log_probe_pkey",
      table: "log_probe",
      routine: expect.any(String),
    });
  });

  test("keeps the message, stack and causes of other errors by the same rule, and no other field", () => {
    const cause = Object.assign(new Error('invalid "Maria"'), { code: "22P02", detail: "Lopez" });
    const error = Object.assign(new Error("a batch failed", { cause }), { code: "XX000", parameters: ["Maria"] });
    const kept = serializeError(error);
    expect(kept).toEqual({
      type: "Error",
      code: "XX000",
      message: "a batch failed",
      stack: error.stack,
      cause: { type: "Error", code: "22P02", stack: expect.stringMatching(/^at /) },
    });
    expect(JSON.stringify(kept)).not.toContain("Maria");
  });

  test("contains no part of a string that is not JSON or not a number", () => {
    for (const read of [() => JSON.parse('{"last_name": Lopez}'), () => BigInt("Lopez")]) {
      const error = (() => {
        try {
          return read();
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(String(error)).toContain("Lopez");
      const kept = serializeError(new Error("a batch failed", { cause: error }));
      expect(kept).toMatchObject({ message: "a batch failed", cause: { type: "SyntaxError" } });
      expect(JSON.stringify(kept)).not.toContain("Lopez");
    }
  });

  test("ends if causes form a cycle, and has only the type of a value that is not an error", () => {
    const error = new Error("circle");
    error.cause = error;
    expect(JSON.stringify(serializeError(error)).length).toBeGreaterThan(0);
    expect(serializeError("Maria Lopez")).toEqual({ type: "string" });
  });
});
