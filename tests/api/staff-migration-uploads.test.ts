// Resumed uploads, with the code of the page: the run reads exactly the file that was chosen last.
import { createHash } from "node:crypto";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type UploadWatch, uploadFile } from "@/components/migration/upload-file";
import { PART_BYTES, uploadSource } from "@/lib/migration/read/upload-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import { toLines } from "../support/generated-export";
import { legacyInsurance, legacyPatient } from "../support/legacy-export";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { staffRuns } from "../support/staff-runs";

let basics: Basics;
let practice: number;
let member: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(async () => {
  practice = await seedPractice(basics.organization, "Migrating", true);
  await seedPhysician(practice);
  member = await signInAs("staff", [practice]);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const { post, get, put, begin } = staffRuns(() => ({ who: member, practice }));

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const partOf = (content: Buffer, part: number, size: number) => content.subarray((part - 1) * size, part * size);

/** Uploads a file with the code of the page. Returns what it showed. */
async function uploadLikePage(run: number, content: Buffer) {
  const watch = {
    onProgress: vi.fn<UploadWatch["onProgress"]>(),
    onComparing: vi.fn<UploadWatch["onComparing"]>(),
    onDifferent: vi.fn<UploadWatch["onDifferent"]>(),
    onWaiting: vi.fn<UploadWatch["onWaiting"]>(),
    signal: new AbortController().signal,
  };
  await uploadFile({ practice, run }, new File([new Uint8Array(content)], "patients.ndjson"), watch);
  expect(watch.onProgress).toHaveBeenLastCalledWith(content.length);
  return {
    comparing: watch.onComparing.mock.calls.flat(),
    different: watch.onDifferent.mock.calls.length,
    waiting: watch.onWaiting.mock.calls.flat(),
  };
}

describe("a resumed upload", () => {
  const size = 2 * PART_BYTES + 100;
  /** Builds an export of three parts, whose first patient has this member ID. */
  const exportWith = (memberId: string) => {
    const patient = legacyPatient(1, { insurances: [legacyInsurance(10, { member_id: memberId })] });
    return Buffer.from(toLines([patient]).padEnd(size, "\n"));
  };

  /** Starts a run and uploads the first two parts of its file. */
  async function beginHalf(content: Buffer): Promise<number> {
    const run = await begin(content);
    for (const part of [1, 2]) expect((await put(run, part, partOf(content, part, PART_BYTES))).status).toBe(204);
    return run;
  }

  /** Sends calls of the page to the staff API, after `before`. Returns the list that they are added to. */
  function connectPage(before: (call: string) => Promise<void> = async () => {}): string[] {
    const calls: string[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, { method = "GET", headers, body } = {}) => {
      const path = String(input).replace("/api/staff/", "");
      const call = `${method} ${path.replace(/^.*migrations\/\d+\//, "")}`;
      calls.push(call);
      await before(call);
      const sent = body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : body && JSON.parse(String(body));
      const options = { body: sent, headers: Object.fromEntries(new Headers(headers)) };
      const response = await staffCallAs(member, method, path, options);
      const content = response.status === 204 ? null : JSON.stringify(response.body);
      return new Response(content, { status: response.status });
    });
    return calls;
  }

  async function resume(run: number, content: Buffer) {
    const calls = connectPage();
    const shown = await uploadLikePage(run, content);
    return { ...shown, calls };
  }

  async function readUpload(run: number): Promise<string> {
    const hash = createHash("sha256");
    for await (const part of uploadSource({ id: run, source_size: size }).read()) hash.update(part);
    return hash.digest("hex");
  }

  test("sends only missing parts of the same file", async () => {
    const content = exportWith("M10");
    const run = await beginHalf(content);
    expect(await resume(run, content)).toMatchObject({
      calls: ["POST parts", "GET parts?from=1", "PUT parts/3?turn=1", "POST work"],
      comparing: [true, false],
      different: 0,
    });
    expect(await readUpload(run)).toBe(sha256(content));
  });

  test("replaces uploaded parts of another file of the same name and size before it sends missing parts", async () => {
    const [uploaded, corrected] = [exportWith("M10"), exportWith("M20")];
    const run = await beginHalf(uploaded);
    expect(await resume(run, corrected)).toMatchObject({
      calls: ["POST parts", "GET parts?from=1", "PUT parts/1?turn=1", "PUT parts/3?turn=1", "POST work"],
      comparing: [true, false],
      different: 1,
    });
    expect(await readUpload(run)).toBe(sha256(corrected));
    await workRun(run);
    const { insurances } = (await get(`/${run}/records/1`)).body;
    expect(insurances[0].fields).toContainEqual(expect.objectContaining({ field: "member_id", legacy: "M20" }));
  });

  test("also replaces parts if none is missing, because the check did not start", async () => {
    const [uploaded, corrected] = [exportWith("M10"), exportWith("M20")];
    const run = await beginHalf(uploaded);
    await put(run, 3, partOf(uploaded, 3, PART_BYTES));
    const { calls } = await resume(run, corrected);
    expect(calls).toEqual(["POST parts", "GET parts?from=1", "PUT parts/1?turn=1", "POST work"]);
    expect(await readUpload(run)).toBe(sha256(corrected));
  });

  test.each(["PUT parts/1?turn=1", "PUT parts/3?turn=1", "POST work"])(
    "ends that of another tab before its %s, so that the run has only the file of the last tab",
    async (call) => {
      const [earlier, later] = [exportWith("M10"), exportWith("M20")];
      const run = await begin(earlier);
      const calls = connectPage(async (next) => {
        if (next === call) expect((await post(`/${run}/parts`, undefined)).body.turn).toBe(2);
      });
      await expect(uploadLikePage(run, earlier)).rejects.toMatchObject({ status: 409, code: "upload_taken_over" });
      expect(calls.at(-1)).toBe(call);
      await resume(run, later);
      expect(await readUpload(run)).toBe(sha256(later));
    },
  );
});

describe("the hashes of uploaded parts", () => {
  test("cover 16 parts from the given one on, without missing parts", async () => {
    const { body: created } = await post("", { name: "a.ndjson", size: 20 * PART_BYTES });
    await db.run(sql`
      INSERT INTO migration_part (run_id, part, bytes)
      SELECT ${created.id}, part, convert_to(part::text, 'UTF8') FROM generate_series(1, 20) part WHERE part <> 3`);
    const hashesOf = (parts: number[]) => parts.map((part) => ({ part, sha256: sha256(Buffer.from(String(part))) }));
    const all = Array.from({ length: 20 }, (_, at) => at + 1).filter((part) => part !== 3);
    const list = async (query: string) => (await get(`/${created.id}/parts${query}`)).body;
    expect(await list("")).toEqual({ results: hashesOf(all.filter((part) => part <= 16)) });
    expect(await list("?from=5")).toEqual({ results: hashesOf(all.filter((part) => part >= 5)) });
    expect(await list("?from=21")).toEqual({ results: [] });
    expect((await get(`/${created.id}/parts?from=0`)).status).toBe(400);
  });

  test("are rejected once the file is complete", async () => {
    const content = Buffer.from(toLines([legacyPatient(1)]));
    const run = await begin(content);
    await put(run, 1, content);
    expect((await get(`/${run}/parts`)).body).toEqual({ results: [{ part: 1, sha256: sha256(content) }] });
    await post(`/${run}/work`, { work: "check" });
    expect(await get(`/${run}/parts`)).toMatchObject({ status: 409, body: { code: "run_state" } });
  });
});

describe("the page", () => {
  const SIZE = 10;
  const content = Buffer.from(Array.from({ length: 395 }, (_, at) => at % 251));
  const parts = Array.from({ length: 40 }, (_, at) => at + 1);

  /** Answers calls of the page for a run with these parts. The first comparisons fail. Returns the parts that it sends. */
  function answerPage(uploaded: ReadonlyMap<number, Buffer>, { failures = 0 } = {}): Map<number, Buffer> {
    const sent = new Map<number, Buffer>();
    let comparisons = 0;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, { method, body } = {}) => {
      const { pathname, searchParams } = new URL(String(input), "http://localhost");
      if (body instanceof Blob) {
        sent.set(Number(pathname.split("/").at(-1)), Buffer.from(await body.arrayBuffer()));
        return new Response(null, { status: 204 });
      }
      const missing = parts.filter((part) => !uploaded.has(part));
      if (method === "POST") return Response.json({ turn: 1, part_bytes: SIZE, parts: 40, missing });
      if (++comparisons <= failures) throw new TypeError("Failed to fetch");
      const from = Number(searchParams.get("from"));
      const hashed = [...uploaded].filter(([part]) => part >= from && part < from + 16);
      return Response.json({ results: hashed.map(([part, bytes]) => ({ part, sha256: sha256(bytes) })) });
    });
    return sent;
  }
  const uploadedParts = (missing: number[]) =>
    new Map(parts.filter((part) => !missing.includes(part)).map((part) => [part, partOf(content, part, SIZE)]));

  test("compares all uploaded parts of a large file, wherever parts are missing", async () => {
    const missing = [3, 17, 18, 39];
    const uploaded = uploadedParts(missing);
    for (const part of [2, 19, 40]) uploaded.set(part, Buffer.from("another"));
    const sent = answerPage(uploaded);
    expect(await uploadLikePage(1, content)).toMatchObject({ different: 3 });
    expect([...sent.keys()]).toEqual([2, 19, 40, ...missing]);
    for (const [part, bytes] of sent) expect(bytes).toEqual(partOf(content, part, SIZE));
  });

  test("compares nothing before the first upload", async () => {
    const sent = answerPage(new Map());
    expect(await uploadLikePage(1, content)).toMatchObject({
      comparing: [false, false],
      different: 0,
    });
    expect([...sent.keys()]).toEqual(parts);
  });

  test("sends all parts again if the browser can't hash them", async () => {
    vi.spyOn(crypto, "subtle", "get").mockReturnValue(undefined as unknown as SubtleCrypto);
    const sent = answerPage(uploadedParts([40]));
    expect(await uploadLikePage(1, content)).toMatchObject({ comparing: [false, false], different: 0 });
    expect([...sent.keys()]).toEqual(parts);
  });

  test("continues the comparison after a lost connection", async () => {
    const sent = answerPage(uploadedParts([40]), { failures: 1 });
    const { waiting } = await uploadLikePage(1, content);
    expect(waiting.slice(0, 3)).toEqual([false, true, false]);
    expect([...sent.keys()]).toEqual([40]);
  });

  test("asks for the file again if it can't be read, and sends nothing", async () => {
    vi.spyOn(Blob.prototype, "arrayBuffer").mockRejectedValue(new DOMException("", "NotReadableError"));
    const sent = answerPage(uploadedParts([40]));
    await expect(uploadLikePage(1, content)).rejects.toThrow(
      "patients.ndjson can't be read. If it was edited, moved or deleted after you chose it, choose it again.",
    );
    expect([...sent.keys()]).toEqual([]);
  });
});
