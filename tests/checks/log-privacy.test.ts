// The log stores no patient data from an error.
import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, test, vi } from "vitest";
import { RowGroups } from "@/lib/migration/read/group-rows";
import { type FromReader, serveReader } from "@/lib/migration/read/reader-thread";
import { columnsProblem } from "@/lib/migration/record/columns";
import { db, sql } from "@/lib/platform/db/sql";
import { BusinessRuleError, ConflictError } from "@/lib/platform/errors";
import { renderDocument } from "@/lib/platform/jobs/render-document";
import { RemoteError, serializeError } from "@/lib/platform/serialize-error.mjs";
import { ProgramError } from "@/scripts/lib/command-line";
import { writeLines } from "@/tests/support/legacy-export";
import { owner } from "@/tests/support/owner";

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

const thrownBy = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const STACK = expect.stringMatching(/^at /);

afterEach(() => vi.restoreAllMocks());

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
      const error = thrownBy(read);
      expect(String(error)).toContain("Lopez");
      const kept = serializeError(new Error("a batch failed", { cause: error }));
      expect(kept).toMatchObject({ message: "a batch failed", cause: { type: "SyntaxError" } });
      expect(JSON.stringify(kept)).not.toContain("Lopez");
    }
  });

  test("contains no part of a message for users, only its type and reason", () => {
    const problem = columnsProblem(["501", "Maria", "Lopez"], {}) ?? "";
    expect(problem).toContain("Lopez");
    const error = new BusinessRuleError("columns_unknown", problem);
    const known = { type: "BusinessRuleError", code: "business_rule", reason: "columns_unknown", stack: STACK };
    expect(serializeError(error)).toEqual(known);
    const repeated = new ConflictError("stream_blocked", "Lopez", {
      cause: new Error(`failed: ${problem}`, { cause: error }),
    });
    expect(serializeError(repeated)).toEqual({
      type: "ConflictError",
      code: "conflict",
      reason: "stream_blocked",
      stack: STACK,
      cause: { type: "Error", stack: STACK, cause: known },
    });
    expect(serializeError(new ProgramError(`Run 1 failed: ${problem}`))).toEqual({
      type: "ProgramError",
      stack: STACK,
    });
  });

  test("contains no value that an error of JavaScript quotes", () => {
    for (const work of [
      () => Object.fromEntries(["Lopez"] as unknown as [string, string][]),
      () => "x" in ("Lopez" as unknown as object),
      () => new Date(0).toLocaleString("en-US", { timeZone: "Lopez" }),
      () => Buffer.alloc("Lopez" as unknown as number),
    ]) {
      const error = thrownBy(work);
      expect(String(error)).toContain("Lopez");
      const kept = serializeError(error);
      expect(kept).toMatchObject({ type: expect.stringMatching(/^(Type|Range|NodeError)/), stack: STACK });
      expect(JSON.stringify(kept)).not.toContain("Lopez");
    }
    const [missing] = [] as { Lopez: string }[];
    expect(serializeError(thrownBy(() => (missing as { Lopez: string }).Lopez))).toMatchObject({
      message: "Cannot read properties of undefined",
      stack: STACK,
    });
  });

  test("ends if causes form a cycle, and has only the type of a value that is not an error", () => {
    const error = new Error("circle");
    error.cause = error;
    expect(JSON.stringify(serializeError(error)).length).toBeGreaterThan(0);
    expect(serializeError("Maria Lopez")).toEqual({ type: "string" });
  });
});

describe("an error of another thread or process", () => {
  test("is serialized by the thread that reads an export, which knows its type", async () => {
    vi.spyOn(RowGroups.prototype, "groups").mockImplementation(() => JSON.parse('["1", Lopez]'));
    const file = writeLines("rows.csv", ["patient_id,name", "1,Lopez"]);
    const { port1, port2 } = new MessageChannel();
    const failures: FromReader[] = [];
    port1.on("message", (message: FromReader) => void (message.kind === "failed" && failures.push(message)));
    const closed = once(port1, "close");
    await serveReader(port2, { file, size: 1, columns: null, skip: 0 });
    await closed;
    expect(failures).toEqual([
      { kind: "failed", rule: null, system: null, error: { type: "SyntaxError", stack: STACK } },
    ]);
  });

  test("is serialized by the process that renders a document", async () => {
    const requester = { caller: "tests", signal: () => AbortSignal.timeout(60_000) };
    const error = await failureOf(renderDocument("render-ccda", "Lopez", requester));
    const kept = serializeError(error);
    expect(kept).toMatchObject({ message: "the C-CDA renderer failed", cause: { type: "TypeError", stack: STACK } });
    expect(JSON.stringify(kept)).not.toContain("Lopez");
  });

  test("keeps what was serialized, and its first message", () => {
    const serialized = { type: "OverloadedError", cause: { type: "Error", message: "the decoder ended" } };
    const error = new Error("reading failed", { cause: new RemoteError(serialized) });
    expect(serializeError(error)).toMatchObject({ message: "reading failed", cause: serialized });
    expect(new RemoteError(serialized).message).toBe("the decoder ended");
  });
});
