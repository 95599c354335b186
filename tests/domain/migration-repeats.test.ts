// IDs and people that several records of an export share, as `crosswalk check` reports them.
import { expect, test } from "vitest";
import { checkFile } from "@/lib/migration/check/check-file";
import { personHash } from "@/lib/migration/record/raw-record";
import { fileSource } from "@/lib/platform/files/source";
import { COMPANIES, legacyInsurance, legacyPatient, pastInsurance, writeLines } from "../support/legacy-export";

const current = (...ids: (number | string)[]) => ids.map((id) => legacyInsurance(1, { id }));
const past = (...ids: (number | string)[]) => ids.map((id) => pastInsurance(1, { id }));
const patient = (n: number, insurances: object[], deleted: object[] = []) =>
  legacyPatient(n, { insurances, deleted_insurances: deleted });

/** Checks an export and returns what its records repeat, as `line code insurance`. */
async function repeatsIn(...patients: ReturnType<typeof legacyPatient>[]): Promise<string[]> {
  const file = writeLines("repeats.ndjson", patients);
  const found: string[] = [];
  for await (const checked of checkFile({
    source: await fileSource(file),
    companies: COMPANIES,
    asOf: "2025-10-01",
  })) {
    if ("reason" in checked) throw new Error(checked.reason);
    for (const { line, code, insurance } of checked.findings) {
      if (/_repeated|_reused|patient_duplicate/.test(code)) found.push([line, code, insurance ?? ""].join(" ").trim());
    }
  }
  return found;
}

test("an ID of a past insurance is reported on later records, whether it is current or past there", async () => {
  const first = patient(1, current(1), past(5, 6));
  expect(await repeatsIn(first, patient(2, current(5)), patient(3, current(9), past(6, 1)))).toEqual([
    "2 insurance_id_repeated 5",
    "3 insurance_id_repeated 6",
    "3 insurance_id_repeated 1",
  ]);
});

test("an ID that only one record has is not reported", async () => {
  expect(await repeatsIn(patient(1, current(1), past(1, 2, 2)), patient(2, current(3), past(4)))).toEqual([]);
});

test("IDs are equal only if their text is", async () => {
  expect(await repeatsIn(patient(1, current("7", "M-1")), patient(2, current("07", "M-01")))).toEqual([]);
  expect(await repeatsIn(patient(1, current(4294967303)), patient(2, current(7)))).toEqual([]);
  const [big, next] = ["9007199254740993", "9007199254740992"];
  expect(await repeatsIn(patient(1, current(big)), patient(2, current(next)))).toEqual([]);
  expect(await repeatsIn(patient(1, current(big)), patient(2, current(big)))).toEqual([
    `1 insurance_id_reused ${big}`,
    `2 insurance_id_reused ${big}`,
  ]);
});

test("a repeated patient ID names the first line that has it", async () => {
  const again = (n: number) => patient(n, current(n));
  const lines = [again(1), again(2), { ...again(3), id: 1001 }, { ...again(4), id: 1001 }];
  expect(await repeatsIn(...lines)).toEqual(["3 patient_id_repeated", "4 patient_id_repeated"]);
});

test("people whose hashes begin alike are different people", async () => {
  const named = (n: number, first: string) => legacyPatient(n, { first_name: first, last_name: "Stone" });
  const [one, other] = [named(1, "Ada 19574"), named(2, "Ada 54998")];
  expect(personHash(one)?.slice(0, 8)).toBe(personHash(other)?.slice(0, 8));
  expect(await repeatsIn(one, other)).toEqual([]);
  expect(await repeatsIn(one, other, named(3, " ADA 54998"))).toEqual(["3 patient_duplicate"]);
});
