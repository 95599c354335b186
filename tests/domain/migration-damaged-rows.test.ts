// CSV with damaged, missing or scattered rows: a patient is converted completely or not at all, and a missing row alone
// archives nothing.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { decideFindings } from "@/lib/migration/check/decide";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { seedBasics } from "../support/api";
import { countStores, expectStoresEqual, writeLines } from "../support/legacy-export";
import {
  acceptFixes,
  convert,
  createCheckedRun,
  findingsOf,
  recordsOf,
  requestFor,
  seedMigratingPractice,
  skipErrors,
} from "../support/migration-runs";
import { runScript } from "../support/run-script";

let organization: number;
let practiceId: number;
beforeAll(async () => {
  ({ organization } = await seedBasics());
});
beforeEach(async () => {
  practiceId = await seedMigratingPractice(organization);
});

const HEADINGS = "patient_id,first_name,last_name,dob,sex,insurance.id,rank,carrier,member_id";
const row = (patient: number, insurance: number, rank = "primary") =>
  `${patient},Ann${patient},Lee,1980-05-17,Female,${insurance},${rank},Humana,M${insurance}`;
const ROWS = [
  row(1, 11),
  row(1, 12, "secondary"),
  row(2, 21),
  row(2, 22, "secondary"),
  row(2, 23, "tertiary"),
  row(3, 31),
  row(4, 41),
  row(4, 42, "secondary"),
];

const fileOf = (rows: readonly string[]) => writeLines(`rows-${practiceId}.csv`, [HEADINGS, ...rows]);
const check = (rows: readonly string[]) => createCheckedRun(practiceId, fileOf(rows));
const codesOf = async (runId: number) =>
  (await findingsOf(runId))
    .filter(({ severity }) => severity === "error")
    .map(({ patient, code }) => `${patient} ${code}`);
const verdictsOf = async (runId: number) =>
  (await recordsOf(runId)).map(({ external_id, verdict }) => `${external_id} ${verdict}`);

test("rows of a patient are combined wherever they appear", async () => {
  const scattered = [4, 0, 7, 2, 5, 1, 6, 3].map((at) => ROWS[at] as string);
  await convert(practiceId, await check(scattered));
  expect(await countStores(practiceId)).toMatchObject({ patients: 4, active: 8, archived: 0 });
  await expectStoresEqual(practiceId);
});

test.each<[string, (rows: string[]) => string[], string[]]>([
  ["cut off", (rows) => rows.map((line, at) => (at === 3 ? line.slice(0, 20) : line)), ["2 row_rejected"]],
  [
    "without its id",
    (rows) => rows.map((line, at) => (at === 3 ? line.slice(1) : line)),
    ["2 row_rejected", "null line_unreadable"],
  ],
  [
    "moved to the left, with as many cells as before",
    (rows) => rows.map((line, at) => (at === 3 ? `${line.replace("2,", "")},` : line)),
    ["2 row_rejected", "null line_unreadable"],
  ],
  [
    "merged with the next",
    (rows) => [...rows.slice(0, 3), `${rows[3]}${rows[4]}`, ...rows.slice(5)],
    ["2 row_rejected", "3 row_rejected", "null line_unreadable"],
  ],
  [
    "with an unclosed quote",
    (rows) => rows.map((line, at) => (at === 3 ? line.replace("Ann", '"Ann') : line)),
    ["2 row_rejected"],
  ],
  [
    "with its columns moved",
    (rows) => rows.map((line, at) => (at === 3 ? line.replace("Ann2,Lee", "Lee,Ann2") : line)),
    ["2 row_rejected", "2 row_rejected"],
  ],
])(
  "a row %s: the whole patient is rejected and named, and none of the patient's insurances are archived",
  async (_what, damage, codes) => {
    await convert(practiceId, await check(ROWS));
    const runId = await check(damage(ROWS));
    expect((await codesOf(runId)).sort()).toEqual(codes);
    expect(await verdictsOf(runId)).toContain("2 refused");
    await expect(startConversion(requestFor(practiceId), runId)).rejects.toMatchObject({ reason: "blockers_remain" });
    await acceptFixes(practiceId, runId);
    await skipErrors(practiceId, runId);
    await convert(practiceId, runId);
    expect(await countStores(practiceId)).toMatchObject({ patients: 4, active: 8, archived: 0 });
  },
);

test("an insurance missing from the export is archived only after a person confirms that it ended", async () => {
  await convert(practiceId, await check(ROWS));
  const runId = await check(ROWS.filter((_, at) => at !== 3));
  expect(await codesOf(runId)).toEqual(["2 insurance_absent"]);
  const request = requestFor(practiceId);
  const allFixes = await decideFindings(
    request,
    runId,
    { filter: { fix: true, decision: "open" } },
    { decide: "accept" },
  );
  expect(allFixes.decided, "accepting all fixes is not a confirmation").toBe(0);
  await expect(startConversion(request, runId)).rejects.toMatchObject({ reason: "blockers_remain" });
  await acceptFixes(practiceId, runId);
  expect(await verdictsOf(runId)).toContain("2 archive");
  await convert(practiceId, runId);
  expect(await countStores(practiceId)).toMatchObject({ patients: 4, active: 7, archived: 1 });
});

test("check, run and command line report the same damaged row, and exit with 1", async () => {
  const file = fileOf(ROWS.map((line, at) => (at === 3 ? line.slice(0, 20) : line)));
  const companies = writeLines("companies.ndjson", [{ id: 5000, carrier: "Humana" }]);
  const checked = await runScript("crosswalk-check.ts", [
    file,
    "--companies",
    companies,
    "--as-of",
    "2025-10-01",
    "--json",
  ]);
  const found = checked.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect([checked.code, found]).toMatchObject([1, [{ patient: 2, code: "row_rejected", severity: "error", line: 5 }]]);
  const converted = await runScript("crosswalk-convert.ts", [
    file,
    "--practice",
    String(practiceId),
    "--companies",
    companies,
  ]);
  expect([converted.code, converted.stdout]).toEqual([1, expect.stringContaining("row_rejected")]);
  expect(await countStores(practiceId)).toMatchObject({ patients: 0 });
});
