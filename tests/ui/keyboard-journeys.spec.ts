// A working day of each role without a mouse, from signing in. Other files test single tasks by keyboard.
import { expect, type Page } from "@playwright/test";
import { generatePatients } from "@/tests/support/generated-export";
import { api, newCardImage, newName, newPatient, newPolicy, practices } from "./support/demo";
import { createCheckedRun, writeRecords } from "./support/exports";
import { press, tabTo, type } from "./support/keyboard";
import { goByKeys, signInByKeyboard, test } from "./support/test";

const { enabled } = practices();

/** Finds a patient in the search, which has the focus on arrival. */
async function findPatient(
  page: Page,
  { lastName, shownName }: { lastName: string; shownName: string },
): Promise<void> {
  await expect(page.getByRole("combobox", { name: "Search patients" })).toBeFocused();
  await page.keyboard.type(lastName);
  await expect(page.getByRole("option", { name: shownName })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(lastName);
}

test("a viewer finds a patient, reads the card and the history, and looks at the migration", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, { member_id: "ACM-100" });
  await newCardImage(patient, id, 1);
  await api("PATCH", `patients/${patient.id}/policies/${id}`, { body: { member_id: "ACM-200" } });
  await createCheckedRun(enabled);
  await signInByKeyboard(page, "viewer");
  await findPatient(page, patient);
  const card = page.getByRole("article", { name: /^Primary: Acme Health/ });
  await press(page, card.getByRole("button", { name: /^View front/ }));
  await expect(page.getByRole("dialog").getByRole("img")).toBeVisible();
  await page.keyboard.press("Escape");
  await press(page, card.getByRole("link", { name: "Acme Health", exact: true }), "Enter", { back: true });
  await tabTo(page, page.getByRole("listbox"));
  await expect(page.getByRole("row", { name: /Member ID/ }).locator("ins")).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("heading", { name: /^Version 2: card image added/ })).toBeVisible();
  await goByKeys(page, "m");
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(page.locator("tbody tr:focus")).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/migration\/\d+$/);
  await press(page, page.getByRole("navigation", { name: "Run steps" }).getByRole("link", { name: "Review" }));
  await expect(page.getByRole("table", { name: "Findings" }).locator("tbody tr").first()).toBeVisible();
  await expect(page.getByRole("button", { name: /^Correct/ })).toHaveCount(0);
});

test("staff add a policy, archive it, undo that, and correct a finding", async ({ page }) => {
  const patient = await newPatient(enabled);
  const [person] = generatePatients({ insurances: 1, faults: 0 });
  const run = await createCheckedRun(enabled, await writeRecords([{ ...person, id: 860_000, dob: "1999-02-29" }]));
  await signInByKeyboard(page, "staff");
  await findPatient(page, patient);
  await press(page, page.getByRole("link", { name: "Add policy" }).first());
  await tabTo(page, page.getByRole("combobox", { name: "Payer" }));
  await page.keyboard.type("Keyboard Health");
  await expect(page.getByRole("option", { name: /as typed/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await type(page, page.getByLabel("Member ID", { exact: true }), "KH-1");
  await page.keyboard.press("ControlOrMeta+S");
  await press(page, page.getByRole("heading", { name: "Keyboard Health" }).getByRole("link"));
  const archive = page.getByRole("button", { name: "Archive policy" });
  await press(page, archive);
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Archive policy" }));
  await press(page, page.getByRole("button", { name: "Undo" }), "Enter", { back: true });
  await expect(archive).toBeVisible();
  const { results } = await api("GET", `patients/${patient.id}/policies`);
  expect(results).toMatchObject([{ carrier: "Keyboard Health", member_id: "KH-1", status: "active" }]);

  await page.goto(`/practices/${enabled}/migration/${run}/findings?severity=error`);
  await press(page, page.getByRole("button", { name: /^Correct/ }).first());
  const form = page.getByRole("form", { name: "Correction" });
  await expect(form.getByLabel("Date of birth")).toBeFocused();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("2/28/1999");
  await page.keyboard.press("Enter");
  await expect(form).toHaveCount(0);
  await expect(page.getByText(/1 finding corrected/).first()).toBeVisible();
});

test("an admin adds a member, and reads the audit and the readiness report", async ({ page }) => {
  const name = `Alex ${newName()}`;
  await createCheckedRun(enabled);
  await signInByKeyboard(page, "admin");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("Add member");
  await expect(page.getByRole("option", { name: "Add member" })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: /member/i });
  await type(page, form.getByLabel("Name"), name);
  await type(page, form.getByLabel(/^Email/), `${name.split(" ")[1]?.toLowerCase()}@example.org`);
  await page.keyboard.press("Enter");
  await expect(page.getByText(name).first()).toBeVisible();
  await press(page, page.getByRole("dialog").getByRole("checkbox"), "Space");
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Done" }));
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("audit");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("table", { name: /audit/i }).locator("tbody tr").first()).toBeVisible();
  await goByKeys(page, "h");
  await press(page, page.getByRole("region", { name: "Readiness" }).getByRole("link", { name: "Report" }));
  await expect(page.getByRole("heading", { level: 1, name: "Readiness report" })).toBeVisible();
});
