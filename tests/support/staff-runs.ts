// Drives runs of the migration assistant through staff calls.
import { expect } from "vitest";
import { PART_BYTES } from "@/lib/migration/read/upload-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { toLines } from "./generated-export";
import { COMPANIES } from "./legacy-export";
import { type SignedIn, staffCallAs } from "./staff";

/** Returns calls on the runs of a practice. `by` returns who makes them, because both are seeded before each test. */
export function staffRuns(by: () => { who: SignedIn; practice: number }) {
  const call = (method: string, path: string, options: Parameters<typeof staffCallAs>[3] = {}) => {
    const { who, practice } = by();
    return staffCallAs(who, method, `practices/${practice}/migrations${path}`, options);
  };
  const post = (path: string, body: unknown) => call("POST", path, { body });
  const get = (path: string) => call("GET", path);
  const put = (run: number, part: number, bytes: Uint8Array) =>
    call("PUT", `/${run}/parts/${part}`, { body: bytes, headers: { "content-type": "application/octet-stream" } });
  const file = async (path: string) => new TextDecoder().decode((await get(path)).body);

  async function begin(content: Buffer, fields: object = {}) {
    const { status, body: created } = await post("", {
      name: "patients.ndjson",
      size: content.length,
      as_of: "2025-10-01",
      companies: toLines(COMPANIES),
      ...fields,
    });
    expect([status, created]).toEqual([201, { id: expect.any(Number), part_bytes: PART_BYTES }]);
    return created.id as number;
  }

  /** Uploads and checks a file. @returns the run's ID */
  async function check(content: Buffer, fields: object = {}): Promise<number> {
    const run = await begin(content, fields);
    for (let part = 1; (part - 1) * PART_BYTES < content.length; part++) {
      const { status } = await put(run, part, content.subarray((part - 1) * PART_BYTES, part * PART_BYTES));
      expect(status).toBe(204);
    }
    expect((await post(`/${run}/work`, { work: "check" })).status).toBe(200);
    await workRun(run);
    return run;
  }
  return { post, get, put, file, begin, check };
}
