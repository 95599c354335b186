// Corrections in the browser: a value in place, a value of many records at once, and the conversion with both.
import { expect, type Page } from "@playwright/test";
import { generatePatients } from "@/tests/support/generated-export";
import { findViolations } from "./support/axe";
import { adminCalls, api, practices } from "./support/demo";
import { createCheckedRun, writeRecords } from "./support/exports";
import { takePicture } from "./support/screens";
import { enterAs, test } from "./support/test";

const { correcting: practice } = practices();

type Fields = Record<string, unknown>;

/** Builds patients with one insurance, with IDs that no other export has. */
function* faultyPatients(): Generator<Fields> {
  const changes: { patient?: Fields; insurance?: Fields }[] = [
    { patient: { dob: "1999-02-29" }, insurance: { start_date: "unknown" } },
    ...Array(3).fill({ insurance: { carrier: "Northgate Ins.", insurance_company: null } }),
  ];
  const patients = [...generatePatients({ insurances: 60, faults: 0 })].filter(
    ({ insurances, deleted_insurances }) => [insurances, deleted_insurances].flat().length === 1,
  );
  for (const [at, { patient, insurance }] of changes.entries()) {
    const made = patients[at] ?? {};
    const [only] = made.insurances as Fields[];
    yield {
      ...made,
      id: 870_000 + at,
      insurances: [{ ...only, id: 870_000 + at, ...insurance }],
      ...patient,
    };
  }
}

// A correction that doesn't resolve its finding is rejected.
test.use({ expectedErrors: /status of 400 \(Bad Request\).*\/decisions/ });

const form = (page: Page) => page.getByRole("form", { name: "Correction" });

test("a value is corrected in place and another in bulk, and both are converted", async ({ page }) => {
  test.setTimeout(180_000);
  const run = await createCheckedRun(practice, await writeRecords(faultyPatients()));
  const path = `/practices/${practice}/migration/${run}`;
  await enterAs(page, "admin");

  // In place: the error of a value that doesn't resolve the finding is at the field.
  await page.goto(`${path}/records/1`);
  const birth = page.getByRole("listitem").filter({ hasText: "Date of birth is invalid or in the future" });
  await birth.getByRole("button", { name: "Correct" }).click();
  const input = form(page).getByLabel("Date of birth");
  await expect(input).toBeFocused();
  await expect(input).toHaveValue("02/29/1999");
  await input.fill("2/30/1999");
  await input.press("Enter");
  await expect(form(page)).toContainText("Enter a date as month/day/year, such as 5/17/1980.");
  await expect(input).toHaveAttribute("aria-invalid", "true");
  expect(await findViolations(page, "light")).toEqual([]);
  expect(await findViolations(page, "dark")).toEqual([]);
  await takePicture(page, "migration-correction", { fullPage: true });
  await input.fill("2/28/1999");
  await form(page).getByRole("button", { name: "Save correction" }).click();
  await expect(birth).toContainText("Corrected: date of birth 1999-02-28");
  await expect(birth).toBeFocused();

  const date = page.getByRole("listitem").filter({ hasText: "Invalid date" });
  await date.getByRole("button", { name: "Correct" }).click();
  await form(page).getByLabel("Effective date").fill("March 5, 2016");
  await form(page).getByRole("button", { name: "Save correction" }).click();
  await expect(date).toContainText("Corrected: effective date 2016-03-05");

  // In bulk, from the list.
  await page.goto(`${path}/findings?code=carrier_unmatched`);
  await page
    .getByRole("button", { name: /^Correct “Payer not found/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: "Payer not found in this practice" });
  await expect(dialog).toContainText("3 open findings of this run have the same value: Northgate Ins.");
  await dialog.getByRole("combobox", { name: "Payer" }).click();
  await page.getByPlaceholder("Type to search").fill("northg");
  await page.getByRole("option", { name: "Northgate Assurance" }).click();
  await dialog.getByRole("button", { name: "Correct all 3 findings" }).click();
  await expect(page.getByText("3 findings corrected.").first()).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await page.goto(`${path}/findings?decision=corrected`);
  await expect(page.getByRole("table", { name: "Findings" }).locator("tbody tr")).toHaveCount(5);

  await page.goto(`${path}?step=convert`);
  await page.getByRole("button", { name: "Convert 4 patients" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Corrected with the practice");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Convert/ })
    .click();
  await expect(page.getByText("Converted, ready to verify").first()).toBeVisible({ timeout: 90_000 });
  const call = await adminCalls();
  const base = `practices/${practice}/migrations/${run}`;
  const { results } = (await call("GET", `${base}/records`)) as { results: { patient_id: number }[] };
  const patients = await Promise.all(results.map(({ patient_id }) => api("GET", `patients/${patient_id}`)));
  expect(patients.map(({ dob, insurances: [{ carrier, start_date }] }) => [dob, carrier, start_date])).toEqual([
    ["1999-02-28", expect.any(String), "2016-03-05"],
    ...Array(3).fill([expect.any(String), "Northgate Assurance", "2015-01-01"]),
  ]);
});
