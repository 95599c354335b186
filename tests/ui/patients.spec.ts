// The list of patients: searches in the URL, as CSV, and by keyboard.
import fs from "node:fs";
import { expect } from "@playwright/test";
import { findViolations } from "./support/axe";
import { newName, newPatient, newPolicy, practices } from "./support/demo";
import { chooseByArrows, press, tabTo, type } from "./support/keyboard";
import { takePicture } from "./support/screens";
import { enterAs, test } from "./support/test";

const { enabled, disabled } = practices();
const list = `/practices/${enabled}/patients`;

test.beforeEach(({ page }) => enterAs(page, "viewer"));

test("a search by name, date of birth and member ID is in the URL, and is restored by Back", async ({ page }) => {
  const patient = await newPatient(enabled);
  await newPolicy(patient, { member_id: `M${patient.id}X` });
  await page.goto(list);
  const search = page.getByRole("searchbox", { name: "Search patients" });
  for (const words of [patient.lastName, `${patient.lastName} 2/29/1984`, `M${patient.id}X`]) {
    await search.fill(words);
    await expect.poll(() => new URL(page.url()).searchParams.get("search")).toBe(words);
    await expect(page.getByRole("row")).toHaveCount(2);
    await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();
  }
  await page.reload();
  await expect(search).toHaveValue(`M${patient.id}X`);
  await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();
  await search.fill("a name without matches");
  await expect(page.getByText("No patients match")).toBeVisible();
});

test("a search finds every word of a surname, with the year of birth", async ({ page }) => {
  const [first, second] = [newName(), newName()];
  const patient = await newPatient(enabled, `${first}-Lund ${second}`);
  await page.goto(list);
  const search = page.getByRole("searchbox", { name: "Search patients" });
  for (const words of [`${second} 1984`, `${first} ${second}`, `${second}, Robin`]) {
    await search.fill(words);
    await expect(page.getByRole("row")).toHaveCount(2);
    await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();
  }
  await search.fill(`${second} 1985`);
  await expect(page.getByText("No patients match")).toBeVisible();
});

test("filters are in the URL, have chips and combine with the search", async ({ page }) => {
  const [insured, none] = [await newPatient(enabled), await newPatient(enabled)];
  await newPolicy(insured, { carrier: "Filtered Health", plan: "Gold" });
  await page.goto(`${list}?search=${insured.lastName}`);
  await page.getByLabel("Coverage").selectOption("No insurance");
  await expect(page).toHaveURL(/coverage=none/);
  await expect(page.getByText("No patients match")).toBeVisible();
  await page.getByRole("button", { name: "Remove this filter" }).click();
  await expect(page.getByRole("link", { name: insured.shownName })).toBeVisible();
  await page.goto(list);
  await page.getByRole("searchbox", { name: "Payer" }).fill("filtered h");
  await page.getByLabel("Missing").selectOption("Front of the card");
  await expect(page).toHaveURL(/payer=filtered\+h.*missing=card|missing=card.*payer=filtered\+h/);
  await expect(page.getByRole("link", { name: insured.shownName })).toBeVisible();
  await expect(page.getByRole("link", { name: none.shownName })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("searchbox", { name: "Payer" })).toHaveValue("filtered h");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL(list);
});

test("a primary coverage that has ended says so, also on a phone", async ({ page }) => {
  const patient = await newPatient(enabled);
  await newPolicy(patient, { carrier: "Past Health", end_date: "2025-10-31" });
  await newPolicy(patient, { carrier: "Later Health", rank: 2, end_date: "2025-09-30" });
  const current = await newPatient(enabled);
  await newPolicy(current, { end_date: new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10) });
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${list}?search=${patient.lastName}`);
    const row = page.getByRole("row", { name: patient.lastName });
    await expect(row.getByText("Ended Oct 31, 2025").filter({ visible: true })).toHaveCount(1);
    await expect(row).not.toContainText("Sep 30");
    for (const colorScheme of ["light", "dark"] as const)
      expect(await findViolations(page, colorScheme, "main")).toEqual([]);
    await takePicture(page, `patients-ended-${width}-light`);
  }
  await page.goto(`${list}?search=${current.lastName}`);
  await expect(page.getByRole("link", { name: current.shownName })).toBeVisible();
  await expect(page.getByText(/^Ended /)).toHaveCount(0);
});

test("order and page are also in the URL, and Back returns through the pages", async ({ page }) => {
  await page.goto(list);
  const byBirth = page.getByRole("columnheader", { name: "Date of birth" });
  await byBirth.getByRole("button").click();
  await expect(page).toHaveURL(`${list}?order=dob`);
  await expect(byBirth).toHaveAttribute("aria-sort", "ascending");
  await byBirth.getByRole("button").click();
  await expect(byBirth).toHaveAttribute("aria-sort", "descending");
  const pages = page.getByRole("navigation", { name: "Pages of patients" });
  await pages.getByRole("button", { name: "Next" }).click();
  await expect(pages.getByRole("status")).toHaveText(/^51–\d+ of \d+$/);
  await expect(page).toHaveURL(/offset=50/);
  await page.goBack();
  await expect(pages.getByRole("status")).toHaveText(/^1–50 of \d+$/);
});

test("CSV contains the results of the search, for users with the export right", async ({ page }) => {
  const patient = await newPatient(enabled);
  const found = `${list}?search=${patient.lastName}`;
  await page.goto(found);
  await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();
  await expect(page.getByRole("button", { name: "Export CSV" })).toHaveCount(0);
  await enterAs(page, "staff");
  await page.goto(found);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("patients.csv");
  const lines = fs
    .readFileSync(await download.path(), "utf8")
    .trim()
    .split(/\r?\n/);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("Date of birth");
  expect(lines[1]).toContain(patient.lastName);
});

test("by keyboard: arrows, j and k move between rows, and Enter opens one", async ({ page }) => {
  await page.goto(list);
  const rows = page.getByRole("table", { name: "Patients" }).locator("tbody tr");
  await tabTo(page, rows.first());
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("j");
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press("k");
  await expect(rows.nth(1)).toBeFocused();
  const href = await rows.nth(1).getByRole("link").getAttribute("href");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(href as string);
});

test("by keyboard: `j` goes to the table from anywhere on the page, the down arrow from the search", async ({
  page,
}) => {
  await page.goto(`${list}?search=${(await newPatient(enabled)).lastName}`);
  const row = page.getByRole("row").nth(1);
  await expect(row).toBeVisible();
  const search = page.getByRole("searchbox", { name: "Search patients" });
  for (const [target, key] of [
    [page.getByRole("link", { name: "Patients" }).first(), "j"],
    [search, "ArrowDown"],
  ] as const) {
    await target.focus();
    await page.keyboard.press(key);
    await expect(row).toBeFocused();
  }
  await search.focus();
  await page.keyboard.press("j");
  await expect(search).toBeFocused();
});

test("a page that takes long to load shows a progress bar until it appears", async ({ page }) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.goto(list);
  await page.route(`**/practices/${enabled}/migration?*`, async (route) => {
    await released;
    await route.continue();
  });
  const bar = page.locator(".bprogress .bar");
  await page.getByRole("link", { name: "Migration" }).first().click();
  await expect(bar).toBeVisible();
  release();
  await expect(page.getByRole("heading", { name: "Migration", level: 1 })).toBeVisible();
  await expect(bar).toHaveCount(0);
});

test("by keyboard: the palette finds a patient and a place, and `?` lists the keys", async ({ page }) => {
  const patient = await newPatient(enabled);
  await page.goto(list);
  await expect(page.getByRole("searchbox", { name: "Search patients" })).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+K");
  await expect(page.getByRole("combobox", { name: "Go to" })).toBeFocused();
  await page.keyboard.type(patient.lastName);
  await expect(page.getByRole("option", { name: patient.shownName })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/practices/${enabled}/patients/${patient.id}`);
});

test("`/` goes to the search, and a click anywhere on a row opens it", async ({ page }) => {
  const patient = await newPatient(enabled);
  await page.goto(list);
  await expect(page.getByRole("searchbox", { name: "Search patients" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("searchbox", { name: "Search patients" })).not.toBeFocused();
  await page.getByRole("main").focus();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Search patients" })).toBeFocused();
  await page.keyboard.type(patient.lastName);
  await expect(page).toHaveURL(`${list}?search=${patient.lastName}`);
  await page.getByRole("row", { name: patient.shownName }).getByRole("cell", { name: "Feb 29, 1984" }).click();
  await expect(page).toHaveURL(`${list}/${patient.id}`);
  await page.keyboard.press("/");
  await page.keyboard.type(patient.lastName);
  await expect(page.getByRole("dialog").getByRole("option", { name: patient.lastName })).toBeVisible();
});

test("the skip link skips the navigation, and the switcher opens the other practice", async ({ page }) => {
  // The list would have the focus in its search.
  await page.goto(`/practices/${enabled}/migration`);
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await press(page, page.getByRole("button", { name: /^Practice: .* Switch$/ }), "Enter", { back: true });
  await chooseByArrows(page, "Harborlight Pediatrics");
  await expect(page).toHaveURL(new RegExp(`/practices/${disabled}`));
});

test("the search runs as the user types, and Tab moves to the table", async ({ page }) => {
  const patient = await newPatient(enabled);
  await page.goto(list);
  await type(page, page.getByRole("searchbox", { name: "Search patients" }), patient.lastName);
  await expect(page.getByRole("row")).toHaveCount(2);
  await press(page, page.getByRole("link", { name: patient.shownName }));
  await expect(page).toHaveURL(`/practices/${enabled}/patients/${patient.id}`);
});
