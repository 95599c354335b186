// The log of a worker names the run that failed and the request that started it, but nothing from its file.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findRun } from "@/lib/migration/runs/queries";
import { db } from "@/lib/platform/db/sql";
import { seedBasics } from "../support/api";
import { seedMigratingPractice } from "../support/migration-runs";
import { workbookOf, zipOf } from "../support/packed-files";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { staffRuns } from "../support/staff-runs";
import { WorkerProcess } from "../support/worker-process";

const CONTENT = /Maria|Lopez|1980-05-17|123-45-6789|Acme|A1234/;
const ROWS = [
  ["501", "Maria", "Lopez", "1980-05-17", "123-45-6789", "Acme Health", "A1234"],
  ["502", "Leo", "Lopez", "2015-02-03", "123-45-6790", "Acme Health", "A1235"],
];
const CSV = ROWS.map((cells) => cells.join(",")).join("\n");

/** Files that can't be read, and the reason. The message of each quotes the file. */
const FILES: Record<string, [file: Buffer, reason: string]> = {
  "a workbook without headings": [workbookOf({ Patients: ROWS }), "columns_unknown"],
  "a CSV file without headings, in a zip file": [zipOf({ "export.csv": CSV }), "columns_unknown"],
  "a heading that appears twice": [gzipSync(`Lopez,patient_id,Lopez\n${CSV}`), "columns_unknown"],
  "a zip file with several files": [zipOf({ "Maria Lopez.csv": CSV, "Leo Lopez.csv": CSV }), "file_unreadable"],
  "a workbook with several sheets": [workbookOf({ "Maria Lopez": ROWS, "Leo Lopez": ROWS }), "file_unreadable"],
};

/** Uploads a file, and starts its check with a request of this ID. */
async function startRun(who: SignedIn, practice: number, file: Buffer, requestId: string): Promise<number> {
  const { begin, put } = staffRuns(() => ({ who, practice }));
  const run = await begin(file);
  expect((await put(run, 1, file)).status).toBe(204);
  const path = `practices/${practice}/migrations/${run}/work`;
  const options = { body: { work: "check" }, headers: { "x-request-id": requestId } };
  expect((await staffCallAs(who, "POST", path, options)).status).toBe(200);
  return run;
}

test("a worker logs why it could not read a file without quoting it", async () => {
  const { organization } = await seedBasics();
  const runs = new Map<number, { request: string; reason: string }>();
  for (const [file, reason] of Object.values(FILES)) {
    const practice = await seedMigratingPractice(organization);
    const request = `request-${practice}`;
    runs.set(await startRun(await signInAs("staff", [practice]), practice, file, request), { request, reason });
  }
  const worker = await WorkerProcess.start();
  for (const id of runs.keys()) {
    await expect.poll(async () => (await findRun(db, id))?.state, { timeout: 60_000 }).toBe("failed");
    expect((await findRun(db, id))?.error).toMatch(CONTENT);
  }
  await worker.stop();
  expect(worker.output).not.toMatch(CONTENT);
  const lines = worker.output.trimEnd().split("\n");
  const failures = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "a migration run failed");
  const stack = expect.stringMatching(/^at /);
  const expected = [...runs].map(([run, { request, reason }]) => {
    return { run, request, err: { type: "BusinessRuleError", code: "business_rule", reason, stack } };
  });
  expect(failures).toHaveLength(runs.size);
  expect(failures).toEqual(expect.arrayContaining(expected.map((line) => expect.objectContaining(line))));
});
