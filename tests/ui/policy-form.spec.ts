// Input in the policy form: normalized, rejected with messages that link to the fields, and with the SSN masked.
import { expect, type Page } from "@playwright/test";
import { findViolations } from "./support/axe";
import { api, type NewPatient, newName, newPatient, newPolicy, practices, staffGet } from "./support/demo";
import { openGroup } from "./support/policy-form";
import { takePicture, wantsPictures } from "./support/screens";
import { enterAs, test } from "./support/test";

const { enabled, disabled } = practices();
const pathOf = (patient: NewPatient, id: number) => `/practices/${enabled}/patients/${patient.id}/policies/${id}`;
const saved = (page: Page) => page.getByText("Policy saved", { exact: true }).first();
const summary = (page: Page) => page.getByRole("alert").filter({ hasText: /needs? attention/ });

async function policyWith(fields: object) {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, fields);
  return { patient, id, read: () => api("GET", `patients/${patient.id}/policies/${id}`) };
}

test.beforeEach(({ page }) => enterAs(page, "staff"));

test("dates, ZIP codes and phone numbers are normalized when the field is left", async ({ page }) => {
  const { patient, id, read } = await policyWith({});
  await page.goto(`${pathOf(patient, id)}/edit`);
  await openGroup(page, "Subscriber");
  await openGroup(page, "Claims address");
  const typed = {
    "Subscriber date of birth": "5/17/80",
    "Effective date": "11-8-2025",
    "Termination date": "Nov 8 2026",
  };
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
  await expect(page.getByLabel("Subscriber date of birth")).toHaveValue("05/17/1980");
  await expect(page.getByLabel("Effective date")).toHaveValue("11/08/2025");
  await page.getByLabel("Subscriber ZIP code").fill("048431234");
  await page.getByLabel("Phone").fill("(207) 555-0110");
  await page.getByLabel("Phone").press("ControlOrMeta+s");
  await expect(saved(page)).toBeVisible();
  expect(await read()).toMatchObject({
    insured_person_dob: "1980-05-17",
    start_date: "2025-11-08",
    end_date: "2026-11-08",
    insured_person_zip: "04843-1234",
    phone: "207-555-0110",
  });
});

test("a date that can't be read gets an error when the field is left, and the calendar picks one", async ({ page }) => {
  const { patient, id, read } = await policyWith({});
  await page.goto(`${pathOf(patient, id)}/edit`);
  const field = page.getByLabel("Effective date");
  const farYear = String(new Date().getFullYear() + 50).slice(-2);
  for (const [text, problem] of [
    ["13/40/2026", "Enter a date as month/day/year, such as 5/17/1980."],
    [`1/1/${farYear}`, "Enter all four digits of the year."],
  ] as const) {
    await field.fill(text);
    await field.blur();
    await expect(field).toHaveAccessibleDescription(problem);
    await expect(field).toHaveValue(text);
  }
  // The browser draws its own calendar outside of the page, so the test answers for it.
  await page.evaluate(() => {
    HTMLInputElement.prototype.showPicker = function () {
      this.dataset.opened = "true";
    };
  });
  await page.getByRole("button", { name: "Open calendar" }).first().click();
  const calendar = page.locator("input[type=date][data-opened]");
  await expect(calendar).toHaveCount(1);
  await calendar.fill("2026-01-31", { force: true });
  await expect(field).toHaveValue("01/31/2026");
  await expect(field).not.toHaveAttribute("aria-invalid");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(saved(page)).toBeVisible();
  expect(await read()).toMatchObject({ start_date: "2026-01-31" });
});

test("the subscriber is closed until the patient isn't the subscriber, and both optional groups open for errors", async ({
  page,
}) => {
  const { patient, id } = await policyWith({});
  await page.goto(`${pathOf(patient, id)}/edit`);
  const group = (name: string) => page.locator("details", { hasText: name });
  const firstName = page.getByLabel("Subscriber first name");
  await expect(group("Subscriber")).toContainText("The patient");
  await expect(group("Claims address")).toContainText("Not entered");
  await expect(firstName).toBeHidden();
  await page.getByLabel("Patient's relationship to subscriber").selectOption("Spouse");
  await expect(firstName).toBeVisible();
  await page.getByLabel("Patient's relationship to subscriber").selectOption("Self");
  await expect(firstName).toBeHidden();

  await openGroup(page, "Claims address");
  await page.getByLabel("Phone").fill("12");
  await openGroup(page, "Claims address");
  await openGroup(page, "Subscriber");
  await firstName.fill("Maria");
  await page.getByLabel("Subscriber ZIP code").fill("abc");
  await openGroup(page, "Subscriber");
  await expect(group("Subscriber").locator("summary")).toContainText("Maria");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(summary(page)).toContainText("2 fields need attention");
  await expect(page.getByLabel("Phone")).toBeVisible();
  await expect(page.getByLabel("Subscriber ZIP code")).toBeVisible();
});

const pickPayer = async (page: Page, name: string) => {
  // Exactly: the search box of the open list is named "Search payer".
  const field = page.getByRole("combobox", { name: "Payer", exact: true });
  await field.click();
  await page.keyboard.type(name);
  await expect(page.getByRole("listbox").getByRole("option", { name }).first()).toBeVisible();
  // Enter waits for the results. A click does nothing if they replace the payers shown before while the button is down.
  await page.keyboard.press("Enter");
  await expect(field).toContainText(name);
};
const typePayer = async (page: Page, name: string) => {
  await page.getByRole("combobox", { name: "Payer" }).click();
  await page.keyboard.type(name);
  await page.getByRole("option", { name: /as typed/ }).click();
};
const claimsAddress = (page: Page) => page.locator("summary", { hasText: /^Claims address/ });
const NORTHGATE = { address: "900 Beacon Tower", city: "Worcester", state: "MA", zip: "01608", phone: "508-555-0141" };
const SUMMARY = "From the payer list: 900 Beacon Tower, Worcester, MA 01608, 508-555-0141";

test("selecting a payer fills in its phone and claims address, and another payer replaces only what was filled in", async ({
  page,
}) => {
  const patient = await newPatient(enabled);
  await page.goto(`/practices/${enabled}/patients/${patient.id}/policies/new`);
  await pickPayer(page, "Medicare");
  await expect(claimsAddress(page)).toContainText("7500 Security Blvd");
  await pickPayer(page, "Northgate Assurance");
  await expect(claimsAddress(page)).toContainText(SUMMARY);
  await page.setViewportSize({ width: 390, height: 900 });
  await claimsAddress(page).scrollIntoViewIfNeeded();
  await takePicture(page, "payer-address-390-light");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole("button", { name: "Add policy" }).click();
  await expect(page.getByText(/^Northgate Assurance added/).first()).toBeVisible();
  const { results } = await api("GET", `patients/${patient.id}/policies`);
  expect(results).toMatchObject([{ carrier: "Northgate Assurance", ...NORTHGATE }]);

  // The same payer again changes nothing. What the user types stays, also for another payer.
  await page.goto(`${pathOf(patient, results[0].id)}/edit`);
  await expect(claimsAddress(page)).toContainText(SUMMARY);
  await pickPayer(page, "Northgate Assurance");
  await expect(page.getByText("No changes yet")).toBeVisible();
  await openGroup(page, "Claims address");
  await page.getByLabel("Phone").fill("207-555-0110");
  await pickPayer(page, "Medicare");
  await expect(page.getByLabel("Phone")).toHaveValue("207-555-0110");
  await expect(page.getByLabel("City", { exact: true })).toHaveValue("Worcester");
  await page.getByRole("button", { name: "Use Medicare's address" }).click();
  await expect(page.getByLabel("City", { exact: true })).toHaveValue("Baltimore");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    // Fails if the toast covers the button.
    await page.getByRole("button", { name: "Save changes" }).click({ trial: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByLabel("City", { exact: true })).toHaveValue("Worcester");
});

test("a typed payer removes the address that a payer of the list filled in", async ({ page }) => {
  const patient = await newPatient(enabled);
  await page.goto(`/practices/${enabled}/patients/${patient.id}/policies/new`);
  await pickPayer(page, "Northgate Assurance");
  await expect(claimsAddress(page)).toContainText(SUMMARY);
  await typePayer(page, "Unlisted Health");
  await expect(claimsAddress(page)).toContainText("Not entered");
});

test("another payer replaces the address on file of the payer before it, also after a typed payer", async ({
  page,
}) => {
  const { patient, id } = await policyWith({ carrier: "Medicare" });
  await page.goto(`${pathOf(patient, id)}/edit`);
  await pickPayer(page, "Northgate Assurance");
  await expect(claimsAddress(page)).toContainText(SUMMARY);
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(saved(page)).toBeVisible();
  await page.goto(`${pathOf(patient, id)}/edit`);
  await expect(claimsAddress(page)).toContainText(SUMMARY);
  await typePayer(page, "Unlisted Health");
  await expect(claimsAddress(page)).toContainText("900 Beacon Tower");
  await pickPayer(page, "Medicare");
  await expect(claimsAddress(page)).toContainText("7500 Security Blvd");
  // Listed as 1-800-633-4227.
  await expect(claimsAddress(page)).toContainText(/[^-]800-633-4227/);
});

test("a payer's invalid phone number is left out, so that the policy can be saved", async ({ page }) => {
  const carrier = newName();
  const company = { ...NORTHGATE, practice: enabled, carrier, phone: "1-800-MEDICARE" };
  await api("POST", "insurance_companies", { body: company });
  const { patient, id, read } = await policyWith({});
  await page.goto(`${pathOf(patient, id)}/edit`);
  await pickPayer(page, carrier);
  await expect(claimsAddress(page)).toContainText("From the payer list: 900 Beacon Tower, Worcester, MA 01608");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(saved(page)).toBeVisible();
  expect(await read()).toMatchObject({ carrier, address: NORTHGATE.address, phone: null });
});

test("all problems are reported at once, in plain language and with links to the fields", async ({ page }) => {
  const { patient, id, read } = await policyWith({});
  await page.goto(`${pathOf(patient, id)}/edit`);
  const wrong = {
    "Subscriber date of birth": "soon",
    "Subscriber ZIP code": "abc",
    Phone: "12",
    Suite: "x".repeat(36),
  };
  await openGroup(page, "Subscriber");
  await openGroup(page, "Claims address");
  for (const [label, value] of Object.entries(wrong)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByLabel("Effective date").fill("2026-02-01");
  await page.getByLabel("Termination date").fill("2026-01-01");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(summary(page)).toContainText("Not saved yet: 5 fields need attention");
  for (const label of [...Object.keys(wrong), "Termination date"])
    await expect(summary(page).getByRole("button", { name: label, exact: true })).toBeVisible();
  await expect(page.getByRole("main")).not.toContainText(/Too big|Too small|Invalid|expected string/);
  for (const colorScheme of ["light", "dark"] as const) {
    expect(await findViolations(page, colorScheme, "main")).toEqual([]);
    for (const width of wantsPictures ? [1280, 390] : []) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `form-problems-${width}-${colorScheme}`, { fullPage: true });
    }
  }
  await summary(page).getByRole("button", { name: "Phone", exact: true }).click();
  await expect(page.getByLabel("Phone")).toBeFocused();
  expect((await read()).version).toBe(1);
});

test("invalid stored values are flagged but do not block saving another field", async ({ page }) => {
  const bad = { insured_person_dob: "5/17/80", insured_person_zip: "abc", phone: "12" };
  const { patient, id, read } = await policyWith(bad);
  await page.goto(`${pathOf(patient, id)}/edit`);
  await expect(page.getByLabel("Subscriber ZIP code")).toHaveAccessibleDescription(/The value on file is invalid/);
  await page.getByLabel("Member ID", { exact: true }).fill("OTHER-1");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(saved(page)).toBeVisible();
  expect(await read()).toMatchObject({ ...bad, insured_person_zip: "abc", member_id: "OTHER-1" });
});

test("an SSN is masked: revealing it is audited, and it is kept or replaced as a whole", async ({ page }) => {
  const { patient, id, read } = await policyWith({ insured_person_ssn: "123-45-6789" });
  await page.goto(`${pathOf(patient, id)}/edit`);
  expect(await (await page.request.get(`${pathOf(patient, id)}/edit`)).text()).not.toContain("123-45");
  await expect(page.getByText("•••-••-6789")).toBeVisible();
  await expect(page.getByText("123-45-6789")).toHaveCount(0);
  await page.getByRole("button", { name: /^Show Subscriber SSN/ }).click();
  await expect(page.getByText("123-45-6789")).toBeVisible();
  const { results } = await staffGet(`practices/${enabled}/audit?patient=${patient.id}`);
  expect(results.map(({ operation }: { operation: string }) => operation)).toContain("staff.policies.ssn");

  await page.getByLabel("Member ID", { exact: true }).fill("OTHER-2");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(saved(page)).toBeVisible();
  expect(await read()).toMatchObject({ insured_person_ssn: "123-45-6789", member_id: "OTHER-2" });

  await page.goto(`${pathOf(patient, id)}/edit`);
  await page.getByRole("button", { name: "Replace SSN" }).click();
  await page.getByRole("button", { name: "Keep SSN on file" }).click();
  await expect(page.getByText("No changes yet")).toBeVisible();
  await page.getByRole("button", { name: "Replace SSN" }).click();
  await page.getByLabel("Subscriber SSN").fill("987654321");
  await page.getByLabel("Subscriber SSN").blur();
  await expect(page.getByLabel("Subscriber SSN")).toHaveValue("987-65-4321");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(saved(page)).toBeVisible();
  expect(await read()).toMatchObject({ insured_person_ssn: "987-65-4321" });
});

test.describe("when insurances are replaced as a whole", () => {
  // The preview is rejected because of the invalid fields.
  test.use({ expectedErrors: /status of 400 .*insurances/ });

  test("the legacy form has the same messages and keeps an untouched SSN", async ({ page }) => {
    const patient = await newPatient(disabled);
    await newPolicy(patient, { insured_person_ssn: "123-45-6789" });
    await page.goto(`/practices/${disabled}/patients/${patient.id}`);
    await page.locator("summary", { hasText: /^Subscriber/ }).click();
    await page.getByLabel("Subscriber ZIP code").fill("abc");
    await page.locator("summary", { hasText: /^Claims address/ }).click();
    await page.getByLabel("Phone").fill("12");
    await page.getByRole("button", { name: "Review and save" }).click();
    await expect(summary(page)).toContainText("2 fields need attention");
    await page.getByLabel("Subscriber ZIP code").fill("04843");
    await page.getByLabel("Phone").fill("207 555 0110");
    await page.getByLabel("Effective date").fill("Jan 5 2026");
    await page.getByRole("button", { name: "Review and save" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace all records" }).click();
    await expect(page.getByText("Insurance replaced").first()).toBeVisible();
    const { insurances } = await api("GET", `patients/${patient.id}`);
    expect(insurances).toMatchObject([
      {
        insured_person_ssn: "123-45-6789",
        insured_person_zip: "04843",
        phone: "207-555-0110",
        start_date: "2026-01-05",
      },
    ]);
  });
});
