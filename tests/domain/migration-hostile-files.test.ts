// Files crafted to cost the server time or memory are read in bounded time, outside the event loop, and their fault is named.
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { MessageChannel } from "node:worker_threads";
import { deflateSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { startMigrationWorker } from "@/lib/background/migration-worker";
import { RowGroups } from "@/lib/migration/read/group-rows";
import { readApart } from "@/lib/migration/read/read-apart";
import { readRecords } from "@/lib/migration/read/read-records";
import { serveReader } from "@/lib/migration/read/reader-thread";
import { createUploadedRun, PART_BYTES, putPart, removeOldUploads, startCheck } from "@/lib/migration/read/upload-run";
import { MAX_ATTEMPTS } from "@/lib/migration/runs/attempts";
import { resumeRun } from "@/lib/migration/runs/migration-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import { READING_LIMITS } from "@/lib/platform/files/reading-limits";
import { fileSource, textSource } from "@/lib/platform/files/source";
import { chooseProgram } from "@/lib/platform/jobs/program-file";
import { decodeQueue } from "@/lib/platform/storage/decode-queue";
import { seedBasics } from "../support/api";
import { decoderPids, until } from "../support/decoders";
import { pngOf } from "../support/images";
import { legacyCard, legacyInsurance, legacyPatient, writeLines } from "../support/legacy-export";
import { canMount, smallDisk } from "../support/machine";
import { recordsOf, requestFor, seedMigratingPractice } from "../support/migration-runs";
import { zipOf } from "../support/packed-files";

/** Lists the IDs of records in a string, and the problems of the others. */
async function readText(text: string): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const one of readRecords(await fileSource(writeLines("hostile.txt", [text])))) {
    if ("reason" in one) read.push(`${one.number}: ${one.reason}`);
    else
      read.push(one.faults ? `${one.record.id} ✗ ${one.faults.map(({ reason }) => reason).join("; ")}` : one.record.id);
  }
  return read;
}

const HEADINGS = "patient_id,first name,id";
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("a hostile file is read in time proportional to its size:", () => {
  test("a million lists before the results", async () => {
    expect(await readText(`{\n"count": 1,\n${'"a":[],'.repeat(1_000_000)}\n"results": [{"id": 1}]}`)).toEqual([1]);
  });

  test("58,000 lists before the results, one per line, which are not 58,000 records", async () => {
    expect(await readText(`{${'"a":[],\n'.repeat(58_000)}"results": [{"id": 1}]}`)).toEqual([1]);
    const [only, ...others] = await readText(`{${'"a":[],\n'.repeat(58_000)}`);
    expect([only, others]).toEqual([expect.stringContaining("it ends too early"), []]);
  });

  test("a first line of delimiters without headings", async () => {
    await expect(readText(`${",".repeat(65_000)}{`)).rejects.toThrow("The format of the file is unknown.");
  });

  test("thousands of headings", async () => {
    const headings = Array.from({ length: 100_000 }, (_, at) => `h${at}`).join(",");
    await expect(readText(`id,${headings}`)).rejects.toThrow("has 100001 cells; a row may have 1000");
  });

  test("an unclosed quote on every line", async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at},"a""b`);
    const read = await readText([HEADINGS, ...rows].join("\n"));
    expect([read.length, read[0]]).toEqual([20_000, expect.stringContaining("a quote is opened and not closed")]);
  });
});

describe("a record beyond a limit is rejected, and its neighbors are read:", () => {
  const { currentInsurances, rowsPerPatient, detailBytes, rowBytes, rowLines } = READING_LIMITS;
  const sound = JSON.stringify(legacyPatient(1));
  const many = Array.from({ length: currentInsurances + 1 }, (_, at) => legacyInsurance(at));

  test.each<[string, string, string]>([
    ["nesting", `{"id": 2, "a": ${deep(101)}}`, "is nested deeper than 100 levels"],
    ["a million levels of nesting", `{"id": 2, "a": ${deep(1_000_000)}}`, "has more than 500000 values"],
    ["values", `{"id": 2, "a": [${"0,".repeat(600_000)}0]}`, "has more than 500000 values"],
    [
      "insurances",
      JSON.stringify(legacyPatient(2, { insurances: many })),
      "insurances has 201 entries; the limit is 200",
    ],
    ["text", JSON.stringify({ id: 2, a: "x".repeat(detailBytes) }), "has more than 4 MiB without its card images"],
  ])("%s", async (_what, line, reason) => {
    expect(await readText(`${sound}\n${line}\n${sound}`)).toEqual([1001, `2: ${reason}`, 1001]);
  });

  test.each<[string, string[], unknown[]]>([
    ["a row", [`2,${"x".repeat(rowBytes)},1`], ["2: is longer than 1 MiB"]],
    ["columns", [`2${",x".repeat(1_000)}`], ["2: has 1001 cells; a row may have 1000"]],
    [
      "a quoted cell",
      ['2,"x', ...Array.from({ length: rowLines + 5 }, (_, at) => `${at + 10},A,${at}`)],
      ["2 ✗ is not CSV: a quote is opened and not closed", 10],
    ],
    [
      "rows of a patient",
      Array.from({ length: rowsPerPatient + 5 }, (_, at) => `2,A,${at}`),
      ["2 ✗ has too many rows: a patient can have at most 1000, with 4 MiB of text"],
    ],
  ])("CSV: %s", async (_what, rows, expected) => {
    const read = await readText([HEADINGS, ...rows].join("\n"));
    expect(read.slice(0, expected.length)).toEqual(expected);
  });

  test("rows that exceed memory are combined on disk, in file order", () => {
    const [inMemory, spilled] = [new RowGroups(), new RowGroups({ inMemoryBytes: 1_000 })];
    for (let line = 0; line < 20_000; line++) {
      const patient = String((line * 7919) % 5_003);
      const row = line % 50 === 0 ? { fault: "bad" } : { cells: [patient, `cell ${line}`] };
      for (const groups of [inMemory, spilled]) groups.add(patient, { line, bytesRead: line, ...row });
    }
    const strip = ({ patient, rows, faults }: { patient: string; rows: unknown; faults: unknown }) => ({
      patient,
      rows,
      faults,
    });
    expect([...spilled.groups()].map(strip)).toEqual([...inMemory.groups()].map(strip));
  });
});

describe("a reading thread", () => {
  const reading = async (code: string) => {
    const program = path.join(process.env.CROSSWALK_DATA_DIR as string, "reader.mjs");
    fs.writeFileSync(program, `import { parentPort } from "node:worker_threads";\n${code}`);
    chooseProgram("read-export", program);
    try {
      for await (const _batch of readApart(textSource("{}"), { skip: 0, silenceMs: 1_000 }));
    } finally {
      chooseProgram("read-export", path.resolve("build/programs/read-export.mjs"));
    }
  };

  test("may run for a long time while it makes progress", async () => {
    await reading(`
      const timer = setInterval(() => parentPort.postMessage({ kind: "reading" }), 100);
      setTimeout(() => { clearInterval(timer); parentPort.postMessage({ kind: "done" }); }, 2_500);`);
  });

  test("is stopped if it makes no progress", async () => {
    await expect(reading("setInterval(() => {}, 100);")).rejects.toMatchObject({ reason: "reading_stalled" });
  });

  test("reports progress even without a record to send", async () => {
    const rows = Array.from({ length: 50 }, (_, at) => `${at + 1},Ann,${at}`);
    const file = writeLines("slow.csv", [HEADINGS, ...rows]);
    const { port1, port2 } = new MessageChannel();
    const said: string[] = [];
    port1.on("message", ({ kind }) => said.push(kind));
    const closed = once(port1, "close");
    await serveReader(port2, { file, size: fs.statSync(file).size, columns: null, skip: rows.length });
    await closed;
    expect(said).toEqual(["reading", "done"]);
  });

  test.each([
    ["image_queue_full", true],
    ["image_too_slow", false],
  ])("reports %s with whether it is temporary: %s", async (reason, isTemporary) => {
    const decoding = vi.spyOn(decodeQueue(), "run");
    decoding.mockRejectedValue(new OverloadedError(undefined, "Try again.", { reason }));
    const file = writeLines("card.ndjson", [legacyPatient(1, { insurance_cards: [await legacyCard(1)] })]);
    const { port1, port2 } = new MessageChannel();
    let last: unknown;
    port1.on("message", (message) => {
      last = message;
    });
    const closed = once(port1, "close");
    await serveReader(port2, { file, size: fs.statSync(file).size, columns: null, skip: 0 });
    await closed;
    decoding.mockRestore();
    expect(last).toMatchObject({ kind: "failed", rule: { reason, message: "Try again.", isTemporary } });
  });

  test("makes progress with each row that it stores on disk", () => {
    let steps = 0;
    const groups = new RowGroups({ inMemoryBytes: 100, onStep: () => steps++ });
    for (let line = 0; line < 500; line++) groups.add(String(line % 7), { line, bytesRead: 0, cells: ["a"] });
    const first = groups.groups().next();
    expect([first.value?.patient, steps]).toEqual(["0", 507]);
    groups.close();
  });
});

describe("an uploaded file", () => {
  let practiceId: number;
  beforeAll(async () => {
    practiceId = await seedMigratingPractice((await seedBasics()).organization);
  });
  afterEach(() => setClock());

  async function upload(content: string | Buffer): Promise<number> {
    const request = requestFor(practiceId);
    const bytes = Buffer.from(content);
    const { id } = await createUploadedRun(request, practiceId, {
      name: "hostile.json",
      size: bytes.length,
      columns: null,
      companies: "",
    });
    for (let at = 0; at * PART_BYTES < bytes.length; at++) {
      await putPart(request, id, at + 1, bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES));
    }
    await startCheck(request, id);
    return id;
  }

  const errorOf = async (id: number) =>
    db.first<{ state: string; error: string | null; attempted_by: string[] }>(
      sql`SELECT state, error, attempted_by FROM migration_run WHERE id = ${id}`,
    );

  /** Runs this with another folder for temporary files, also in threads. */
  async function withTemporaryFolder(folder: string, work: () => Promise<unknown>): Promise<void> {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      await work();
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  }

  test("is read outside the event loop, so that other requests are served", async () => {
    const run = await upload(`[${'{"a":[[],[],[],[],[],[]]},'.repeat(400_000)}{"id": 1}]`);
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 3_000);
    await workRun(run, { signal: stop.signal });
    clearInterval(timer);
    expect(longest).toBeLessThan(2_000);
    await db.run(sql`UPDATE migration_run SET state = 'cancelled' WHERE id = ${run}`);
  });

  test("fails with a reason after three processes crashed on it, and can be resumed", async () => {
    const run = await upload(JSON.stringify(legacyPatient(1)));
    const crashed = (count: number) => Array.from({ length: count }, () => randomUUID());
    await db.run(sql`UPDATE migration_run SET attempted_by = ${crashed(MAX_ATTEMPTS)}::uuid[] WHERE id = ${run}`);
    expect((await workRun(run))?.state).toBe("failed");
    expect(await errorOf(run)).toMatchObject({
      error: expect.stringContaining("in 3 attempts, because its process ended each time"),
    });
    await db.run(sql`
      UPDATE migration_run SET state = 'reading', stopped_in = NULL, attempted_by = ${crashed(MAX_ATTEMPTS - 1)}::uuid[]
      WHERE id = ${run}`);
    expect((await workRun(run))?.state).toBe("checked");
    expect(await errorOf(run)).toMatchObject({ attempted_by: [] });
  });

  test.skipIf(!canMount)(
    "that is larger than the free disk space fails with the bytes it needs, and can be resumed",
    async () => {
      const disk = smallDisk("64k");
      if (!disk) return;
      try {
        const noise = randomBytes(200_000).toString("base64");
        const zip = zipOf({ "a.ndjson": JSON.stringify(legacyPatient(3, { notes: noise })) });
        const run = await upload(zip);
        await withTemporaryFolder(disk.folder, async () => expect((await workRun(run))?.state).toBe("failed"));
        const error = new RegExp(
          `^The disk is full: ${disk.folder} can't be written. It needs [\\d,]+ bytes, [\\d,]+ bytes are free.`,
        );
        expect(await errorOf(run)).toMatchObject({ error: expect.stringMatching(error) });
        disk.resize("2m");
        await resumeRun(requestFor(practiceId), run);
        await withTemporaryFolder(disk.folder, async () => expect((await workRun(run))?.state).toBe("checked"));
      } finally {
        disk.remove();
      }
    },
  );

  test("fails with the system's reason for the folder if it can't be copied to a temporary file", async () => {
    const run = await upload(zipOf({ "a.ndjson": JSON.stringify(legacyPatient(4)) }));
    await withTemporaryFolder("/absent", () => workRun(run));
    expect(await errorOf(run)).toMatchObject({
      state: "failed",
      error: "/absent/crosswalk-XXXXXX can't be used (ENOENT, mkdtemp).",
    });
  });

  test("is canceled seven days after its last part, not after its first", async () => {
    const request = requestFor(practiceId);
    const day = (days: number) =>
      setClock({ now: () => new Date(Date.parse("2026-11-21T09:00:00Z") + days * 86_400_000) });
    const stateAfter = async (days: number) => {
      day(days);
      await removeOldUploads();
      return (await errorOf(id))?.state;
    };
    day(0);
    const named = { name: "slow.json", size: 2 * PART_BYTES, columns: null, companies: "" };
    const { id } = await createUploadedRun(request, practiceId, named);
    day(6);
    await putPart(request, id, 1, new Uint8Array(PART_BYTES));
    expect(await stateAfter(12)).toBe("uploading");
    await putPart(request, id, 1, new Uint8Array(PART_BYTES));
    expect(await stateAfter(18)).toBe("uploading");
    expect(await stateAfter(20)).toBe("cancelled");
  });

  /** Returns a record whose card takes long enough to decode that the decoder is found. */
  function slowCard(): string {
    const pixels = deflateSync(Buffer.alloc(5_000 * 1_001));
    const base64_content = pngOf({ width: 8_000, height: 5_000, bitDepth: 1, pixels }).toString("base64");
    const card = { rank: 1, images: [{ side: 1, content_type: "image/png", base64_content }] };
    return JSON.stringify(legacyPatient(5, { insurance_cards: [card] }));
  }

  test("is read later if an image decoder ends, and the run continues by itself", async () => {
    const run = await upload(slowCard());
    let hasEnded = false;
    const first = workRun(run)
      .catch((error: unknown) => error)
      .finally(() => {
        hasEnded = true;
      });
    await until(() => {
      for (const pid of decoderPids()) process.kill(pid, "SIGKILL");
      return hasEnded;
    });
    expect(await first).toBeInstanceOf(OverloadedError);
    expect(await errorOf(run)).toMatchObject({
      state: "reading",
      error: "A card image could not be decoded. Crosswalk tries again automatically.",
    });
    expect(await workRun(run)).toMatchObject({ state: "checked", error: null });
    expect(await db.one(sql`SELECT count(*) AS images FROM migration_image WHERE run_id = ${run}`)).toEqual({
      images: 1,
    });
  });

  test("fails with a reason if its image decoder ends each time", { timeout: 120_000 }, async () => {
    const run = await upload(slowCard());
    const worker = startMigrationWorker();
    onTestFinished(() => worker.stop());
    await expect
      .poll(
        async () => {
          for (const pid of decoderPids()) process.kill(pid, "SIGKILL");
          return (await errorOf(run))?.state;
        },
        { timeout: 100_000, interval: 20 },
      )
      .toBe("failed");
    expect((await errorOf(run))?.error).toMatch(/^A card image could not be decoded in 5 attempts\./);
  });

  test("fails only the run if its reader dies", async () => {
    const program = path.join(process.env.CROSSWALK_DATA_DIR as string, "dies.mjs");
    fs.writeFileSync(program, "process.exit(1);");
    const run = await upload(JSON.stringify(legacyPatient(2)));
    chooseProgram("read-export", program);
    try {
      expect((await workRun(run))?.state).toBe("failed");
    } finally {
      chooseProgram("read-export", path.resolve("build/programs/read-export.mjs"));
    }
    expect(await recordsOf(run)).toEqual([]);
  });
});
