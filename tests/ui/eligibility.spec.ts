// Eligibility and notes at the counter: the line on a policy, the full report, and notes with their history.
import { expect, type Page } from "@playwright/test";
import { readPdf } from "@/tests/support/pdf";
import { findViolations } from "./support/axe";
import { api, type NewPatient, newPatient, newPolicy, practices } from "./support/demo";
import { enterAs, test } from "./support/test";

const { enabled } = practices();
const pagePath = (patient: NewPatient, ...rest: (string | number)[]) =>
  ["", "practices", enabled, "patients", patient.id, ...rest].join("/");
const verify = (page: Page) => page.getByRole("button", { name: /^Verify (again|eligibility) for / });
const TODAY = /Active per payer, copay \$25 \(checked [A-Z][a-z]{2} \d{1,2}, \d{4}\)/;

test("staff verify eligibility on a card, read the full report, and print the line", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, { copay: "25", deductible: "500" });
  await enterAs(page, "staff");
  await page.goto(pagePath(patient));
  const card = page.getByRole("article");
  await expect(card).toContainText("Eligibility not verified yet");
  await verify(page).click();
  await expect(card).toContainText(TODAY);
  await expect(card).toContainText("Simulated");

  await card.getByRole("button", { name: /^Eligibility details of/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Eligibility for Acme Health/ });
  await expect(dialog.getByRole("row", { name: /^Copay/ })).toContainText("$25");
  await expect(dialog.getByRole("row", { name: /^Deductible/ }).first()).toContainText("$500");
  await expect(dialog).toContainText("No payer was contacted");
  await expect(dialog.getByRole("listitem")).toHaveCount(1);
  await expect(dialog.getByRole("listitem")).toContainText("Crosswalk");
  expect(await findViolations(page, "light")).toEqual([]);
  await page.keyboard.press("Escape");

  await page.goto(pagePath(patient, "policies", id));
  await expect(page.getByRole("region", { name: "At a glance" })).toContainText(TODAY);
  const { pages } = await readPdf(await page.pdf({ format: "Letter" }));
  const printed = pages.join(" ").replace(/\s+/g, " ");
  expect(printed).toMatch(TODAY);
  expect(printed).not.toContain("Verify eligibility");
});

test("a failed check says why, and stays among the checks after one that succeeds", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, { member_id: "ACM0000", copay: "25" });
  await enterAs(page, "staff");
  await page.goto(pagePath(patient, "policies", id));
  await verify(page).click();
  await expect(page.getByText(/Couldn't verify eligibility on .+: member ID not found/)).toBeVisible();
  await page.goto(pagePath(patient, "policies", id, "edit"));
  await page.getByLabel("Member ID", { exact: true }).fill("ACM123");
  await page.getByRole("button", { name: "Save changes" }).click();
  await verify(page).click();
  await expect(page.getByText(TODAY).first()).toBeVisible();
  await page.getByRole("button", { name: /^Eligibility details of/ }).click();
  const checks = page.getByRole("dialog").getByRole("listitem");
  await expect(checks).toHaveCount(2);
  await checks.last().getByRole("button").click();
  await expect(
    page.getByRole("dialog").getByRole("paragraph").filter({ hasText: "member ID not found" }),
  ).toBeVisible();
});

test("the line warns of another copay and of an old check, and the status of a payer that says inactive", async ({
  page,
}) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, { copay: "25", end_date: "2026-01-31" });
  const path = `patients/${patient.id}/policies/${id}`;
  await enterAs(page, "staff");
  await page.goto(pagePath(patient));
  const card = page.getByRole("article");
  const status = card.locator("header, div").getByText(/^(Active|Coverage ended|Inactive per payer)$/);
  await expect(status).toHaveText("Coverage ended");
  await verify(page).click();
  await expect(card).toContainText(/Inactive per payer \(checked /);
  await api("PATCH", path, { body: { end_date: null, copay: "30" } });
  await page.reload();
  await expect(status).toHaveText("Inactive per payer");
  await page.goto(pagePath(patient, "policies", id));
  await expect(page.getByText("Inactive per payer", { exact: true })).toBeVisible();
  await page.clock.setSystemTime(Date.now() + 31 * 86_400_000);
  await page.reload();
  await expect(page.getByText(/Inactive per payer, but last checked /)).toBeVisible();
  await expect(page.getByText("Inactive per payer", { exact: true })).toBeVisible();
  await page.clock.setSystemTime(Date.now());

  await api("PATCH", path, { body: { copay: "25" } });
  await page.goto(pagePath(patient));
  await verify(page).click();
  await expect(card).toContainText(TODAY);
  await expect(status).toHaveText("Active");
  await api("PATCH", path, { body: { copay: "30" } });
  await page.reload();
  await expect(card).toContainText(/Active per payer, copay \$25, \$30 on file \(checked /);
  await page.clock.setSystemTime(Date.now() + 31 * 86_400_000);
  await page.reload();
  await expect(card).toContainText(/Active per payer, copay \$25, \$30 on file, but last checked /);
});

test("the line doesn't compare the copay if the payer reported several", async ({ page }) => {
  const patient = await newPatient(enabled);
  await newPolicy(patient, { copay: "25" });
  await enterAs(page, "staff");
  await page.goto(pagePath(patient));
  // The simulator reports one copay.
  await page.route("**/eligibility", async (route) => {
    const response = await route.fetch();
    const check = await response.json();
    const details = { ...check.details, copay: 0, copay_ambiguous: true };
    await route.fulfill({ response, json: { ...check, id: check.id + 1_000_000, details } });
  });
  await verify(page).click();
  await expect(page.getByRole("article")).toContainText(/Active per payer, several copays reported \(checked /);
});

test("a note is added, edited and deleted, and the history keeps each change", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  await enterAs(page, "staff");
  await page.goto(pagePath(patient, "policies", id));
  const notes = page.getByRole("region", { name: "Notes", exact: true });
  await notes.getByRole("button", { name: "Add note" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Note" }).fill("Called Aetna 11/3, rep said copay waived");
  expect(await findViolations(page, "light")).toEqual([]);
  await dialog.getByRole("button", { name: "Add note" }).click();
  await expect(notes).toContainText("rep said copay waived");

  await page.goto(pagePath(patient));
  await expect(page.getByRole("article")).toContainText("rep said copay waived");
  await page.goto(pagePath(patient, "policies", id));
  await notes.getByRole("button", { name: /^Edit note/ }).click();
  await dialog.getByRole("textbox", { name: "Note" }).fill("Called Aetna 11/3, rep said copay reduced");
  await dialog.getByLabel("Reason").fill("Called again");
  await dialog.getByRole("button", { name: "Save note" }).click();
  const changes = page.getByRole("region", { name: "Changes to notes" }).getByRole("listitem");
  await expect(changes).toHaveCount(2);
  await expect(changes.first()).toContainText("Called again");
  await expect(changes.first().locator("ins")).toContainText("reduced");

  await notes.getByRole("button", { name: /^Delete note/ }).click();
  await dialog.getByRole("button", { name: "Delete note" }).click();
  await expect(notes).toContainText("No notes");
  await expect(changes).toHaveCount(3);
});

test("a viewer reads the line and the notes, without buttons to change them", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  await enterAs(page, "viewer");
  await page.goto(pagePath(patient, "policies", id));
  await expect(page.getByText("Eligibility not verified yet")).toBeVisible();
  await expect(verify(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Add note" })).toHaveCount(0);
});
