// Help: the menu on every page, the staff guide, what's new, definitions at labels, and the steps of the migration.
import { devices, expect, type Page } from "@playwright/test";
import { newPatient, newPolicy, practices } from "./support/demo";
import { enterAs, test } from "./support/test";

const { enabled, disabled } = practices();
const home = `/practices/${enabled}`;

const openHelp = (page: Page) => page.getByRole("button", { name: /^Help/ }).click();

test("the help menu opens the guide, the glossary and the shortcuts, and the API documentation for admins", async ({
  page,
}) => {
  await enterAs(page, "viewer");
  await page.goto(`${home}/patients`);
  await openHelp(page);
  await expect(page.getByRole("menuitem", { name: "API documentation" })).toHaveCount(0);
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await openHelp(page);
  await page.getByRole("menuitem", { name: "Staff guide" }).click();
  await page.getByRole("link", { name: /^Change the order of payers/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Change the order of payers");
  // A guide's links to other guides stay on the staff side.
  await page.goto(`${home}/help/legacy-review`);
  await page.locator("article").getByRole("link", { name: "Add or change a policy" }).click();
  await expect(page).toHaveURL(`${home}/help/change-a-policy`);
  await page.context().clearCookies();
  await enterAs(page, "admin");
  await page.goto(`${home}/help`);
  await openHelp(page);
  await expect(page.getByRole("menuitem", { name: "API documentation" })).toHaveAttribute("href", "/docs");
});

test("a dot shows that there is news until the list was opened", async ({ page }) => {
  await enterAs(page, "staff");
  await page.goto(home);
  const help = page.getByRole("button", { name: /^Help/ });
  await expect(help).toHaveAccessibleName("Help (new entries in what's new)");
  await openHelp(page);
  await page.getByRole("menuitem", { name: /^What's new/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("What's new");
  await expect(page.getByText("For admins")).toHaveCount(0);
  await expect(help).toHaveAccessibleName("Help");
  await page.goto(home);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Home");
  await expect(help).toHaveAccessibleName("Help");
});

test("a term's definition opens by click, by key and by touch, and Escape returns the focus", async ({
  page,
  browser,
  baseURL,
}) => {
  const patient = await newPatient(enabled);
  const policy = await newPolicy(patient);
  const path = `${home}/patients/${patient.id}/policies/${policy.id}`;
  await enterAs(page, "staff");
  await page.goto(path);
  const hint = page.getByRole("button", { name: "Definition of “Member ID”" });
  const definition = page.getByRole("dialog", { name: "Definition of “Member ID”" });
  await hint.click();
  await expect(definition).toContainText("Identifies the person to the payer.");
  await page.keyboard.press("Escape");
  await expect(definition).toHaveCount(0);
  await expect(hint).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(definition).toBeVisible();
  await page.getByRole("heading", { level: 1 }).click();
  await expect(definition).toHaveCount(0);

  await page.goto(`${path}/edit`);
  const input = page.getByLabel("Group number");
  const group = page.getByRole("dialog", { name: "Definition of “Group number”" });
  // The page may not be ready yet.
  await expect(async () => {
    await input.focus();
    await page.keyboard.press("F1");
    await expect(group).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.press("Escape");
  await expect(group).toHaveCount(0);
  // Tab goes from input to input.
  await page.getByLabel("Member ID").focus();
  await page.keyboard.press("Tab");
  await expect(input).toBeFocused();

  const { defaultBrowserType: _type, ...phone } = devices["Pixel 7"];
  const touch = await browser.newPage({ ...phone, ...(baseURL ? { baseURL } : {}) });
  await touch.context().addCookies(await page.context().cookies());
  await touch.goto(path);
  await touch.getByRole("button", { name: "Definition of “Group number”" }).tap();
  await expect(touch.getByRole("dialog", { name: "Definition of “Group number”" })).toBeVisible();
  await touch.getByRole("button", { name: /^Help/ }).tap();
  await expect(touch.getByRole("menuitem", { name: "Staff guide" })).toBeVisible();
  await touch.close();
});

test("Getting started lists the steps of the migration, each with a link to its place", async ({ page }) => {
  await enterAs(page, "admin");
  await page.goto(`/practices/${disabled}/migration`);
  const steps = page.getByRole("region", { name: "Getting started" }).getByRole("listitem");
  await expect(steps).toHaveCount(7);
  await expect(steps.filter({ hasText: "Turn on Insurance Versioning" }).getByRole("link")).toHaveAttribute(
    "href",
    `/practices/${disabled}/settings`,
  );
  await page.context().clearCookies();
  await enterAs(page, "staff");
  await page.goto(`/practices/${disabled}/migration`);
  await expect(steps.filter({ hasText: "Turn on Insurance Versioning" }).getByRole("link")).toHaveCount(0);
});

test("the audit log says who did what, with links to the records", async ({ page }) => {
  const patient = await newPatient(enabled);
  const policy = await newPolicy(patient);
  await enterAs(page, "admin");
  await page.goto(`${home}/patients/${patient.id}/policies/${policy.id}`);
  await page.goto(`${home}/settings/audit?patient=${patient.id}`);
  const row = page
    .getByRole("row")
    .filter({ hasText: `viewed policy ${policy.id} of` })
    .first();
  await expect(row.getByRole("link", { name: `policy ${policy.id}` })).toHaveAttribute(
    "href",
    `${home}/patients/${patient.id}/policies/${policy.id}`,
  );
  await row.getByRole("button", { name: "Details" }).click();
  await expect(page.getByRole("dialog")).toContainText("staff.policies.get");
});
