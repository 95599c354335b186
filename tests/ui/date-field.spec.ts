// Dates outside of the policy form: filters and dialogs read the same text, and are not applied while they make no sense.
import { expect } from "@playwright/test";
import { practices } from "./support/demo";
import { enterAs, test } from "./support/test";

const { enabled } = practices();

test.beforeEach(({ page }) => enterAs(page, "admin"));

test("a filter is applied once its date is complete, and is cleared with its text", async ({ page }) => {
  await page.goto(`/practices/${enabled}/settings/audit`);
  const from = page.getByRole("form", { name: "Filter the audit log" }).getByLabel("From");
  await from.fill("2026-02-31");
  await from.blur();
  await expect(from).toHaveAccessibleDescription("Enter a date as month/day/year, such as 5/17/1980.");
  await expect(page).not.toHaveURL(/since/);
  await from.fill("Jan 5 2026");
  await from.press("Enter");
  await expect(from).toHaveValue("01/05/2026");
  await expect(page).toHaveURL(/since=2026-01-05/);
  await from.fill("");
  await expect(page).not.toHaveURL(/since/);
});

test("the days of a list can't be applied while one of them is no date", async ({ page }) => {
  await page.goto(`/practices/${enabled}/events`);
  await page.getByLabel("Time", { exact: true }).selectOption("Choose days…");
  const dialog = page.getByRole("dialog", { name: "Choose days" });
  const apply = dialog.getByRole("button", { name: "Show these days" });
  await dialog.getByLabel("First day").fill("soon");
  await dialog.getByLabel("First day").blur();
  await expect(dialog.getByLabel("First day")).toHaveAccessibleDescription(/Enter a date/);
  await apply.click();
  await expect(dialog.getByLabel("First day")).toBeFocused();
  await dialog.getByLabel("First day").fill("1-5-2026");
  await dialog.getByLabel("Last day").fill("1/4/2026");
  await dialog.getByLabel("Last day").blur();
  await expect(dialog.getByText("The last day is before the first day.")).toBeVisible();
  await dialog.getByLabel("Last day").fill("1/6/2026");
  await apply.click();
  await expect(page).toHaveURL(/2026-01-05/);
});
