// What each role lands on, and the pages that a role may not open.
import { devices, expect, type Page } from "@playwright/test";
import { newName, newPatient, newPolicy, practices } from "./support/demo";
import { chooseByArrows, press } from "./support/keyboard";
import { enterAs, goByKeys, signInByKeyboard, test } from "./support/test";

const { enabled } = practices();
const home = `/practices/${enabled}`;
const lookup = (page: Page) => page.getByRole("combobox", { name: "Search patients" });
const region = (page: Page, name: string) => page.getByRole("region", { name });
const mainLinks = (page: Page) => page.getByRole("navigation", { name: "Main" }).getByRole("link");

for (const role of ["viewer", "staff"] as const) {
  test(`by keyboard, as ${role}: the search has the focus, opens a patient, and Recently viewed lists the patient`, async ({
    page,
  }) => {
    const [patient, other] = [await newPatient(enabled), await newPatient(enabled)];
    await signInByKeyboard(page, role);
    await expect(lookup(page)).toBeFocused();
    await expect(mainLinks(page)).toHaveText(["Home", "Patients", "Migration"]);
    await expect(region(page, "Coverage to review")).toBeVisible();
    await expect(region(page, "Findings assigned to you")).toBeVisible();
    await expect(page.getByRole("region", { name: /Delivery|Deadline|Needs attention/ })).toHaveCount(0);

    await page.keyboard.type(patient.lastName);
    await expect(page.getByRole("option", { name: patient.shownName })).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`${home}/patients/${patient.id}`);
    await page.goto(`${home}/patients/${other.id}`);
    await goByKeys(page, "h");
    await expect(lookup(page)).toBeFocused();
    const recent = region(page, "Recently viewed").getByRole("link");
    // Other tests open patients with the same account.
    const both = [other.shownName, patient.shownName];
    await expect.poll(async () => (await recent.allTextContents()).filter((name) => both.includes(name))).toEqual(both);
    await press(page, recent.filter({ hasText: patient.shownName }));
    await expect(page).toHaveURL(`${home}/patients/${patient.id}`);
  });
}

test("by keyboard: the arrows choose among the matches, the last of which is the list, and Escape clears and leaves", async ({
  page,
}) => {
  const patient = await newPatient(enabled);
  await enterAs(page, "staff");
  await page.goto(home);
  await expect(lookup(page)).toBeFocused();
  await page.keyboard.type(patient.lastName);
  await expect(page.getByRole("option")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(lookup(page)).toHaveValue("");
  await expect(page.getByRole("option")).toHaveCount(0);
  await page.keyboard.type(patient.lastName);
  await expect(page.getByRole("option")).toHaveCount(2);
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("option", { name: "Show all matches" })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${home}/patients?search=${patient.lastName}`);
  await expect(page.getByRole("searchbox", { name: "Search patients" })).toBeFocused();
  await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();
});

test("a match shows the date of birth and the primary insurance, on Home and in the palette", async ({ page }) => {
  const name = newName();
  const [insured, none, secondary, unnamed] = [
    await newPatient(enabled, `${name}-Aaa`),
    await newPatient(enabled, `${name}-Bbb`),
    await newPatient(enabled, `${name}-Ccc`),
    await newPatient(enabled, `${name}-Ddd`),
  ];
  await newPolicy(insured, { carrier: "Granite Coast Mutual", member_id: "GCM-6714-1064" });
  await newPolicy(secondary, { rank: 2 });
  await newPolicy(unnamed, { carrier: null, member_id: null });
  await enterAs(page, "viewer");
  await page.goto(home);
  await expect(lookup(page)).toBeFocused();
  for (const options of [page.getByRole("search").getByRole("option"), page.getByRole("dialog").getByRole("option")]) {
    await page.keyboard.type(name);
    for (const [patient, insurance] of [
      [insured, "Granite Coast Mutual · GCM-6714-1064"],
      [none, "No insurance"],
      [secondary, "No primary"],
      [unnamed, "Payer not entered"],
    ] as const) {
      await expect(options.filter({ hasText: patient.shownName })).toHaveAccessibleName(
        `${patient.shownName} Feb 29, 1984 ${insurance}`,
      );
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("ControlOrMeta+K");
  }
});

test("the counts are those of the lists they link to", async ({ page }) => {
  await newPolicy(await newPatient(enabled), { rank: 2, member_id: null, end_date: null });
  await newPolicy(await newPatient(enabled), { end_date: "2020-01-31" });
  await enterAs(page, "staff");
  const names = [
    "No primary, but other coverage",
    "Primary coverage has ended",
    "Missing member ID",
    /^No image/,
    "Eligibility not verified in the last 30 days",
  ];
  for (const name of names) {
    // Other tests may add patients meanwhile.
    await expect(async () => {
      await page.goto(home);
      const row = region(page, "Coverage to review").locator("div", { has: page.getByRole("link", { name }) });
      await expect(row.getByRole("definition")).toHaveText(/^[1-9][\d,]*$/);
      const count = await row.getByRole("definition").textContent();
      await row.getByRole("link").click();
      await expect(page.getByRole("button", { name: "Remove this filter" })).toBeVisible();
      const pages = page.getByRole("navigation", { name: "Pages of patients" });
      await expect(pages).toContainText(new RegExp(`of ${count}\\b`), { timeout: 3_000 });
    }).toPass();
  }
});

test("an admin also has the state of the practice, and pages for developers as a group", async ({ page }) => {
  await enterAs(page, "admin");
  await page.goto(home);
  await expect(lookup(page)).toBeFocused();
  for (const name of ["Deadline", "Readiness", "Delivery"]) await expect(region(page, name)).toBeVisible();
  await expect(page.getByRole("group", { name: "Developer" }).getByRole("link")).toHaveText([
    "Events",
    "Sync",
    "API clients",
  ]);
  await goByKeys(page, "a");
  await expect(page.getByRole("link", { name: "API clients" })).toHaveAttribute("aria-current", "page");
  await expect(page.getByRole("link", { name: "Settings", exact: true })).not.toHaveAttribute("aria-current", "page");

  await page.setViewportSize({ width: 390, height: 800 });
  await press(page, page.getByRole("button", { name: "Developer" }));
  await chooseByArrows(page, "Sync");
  await page.waitForURL(/\/stream$/);
});

test("shortcuts and the palette have only the pages that the role may open", async ({ page }) => {
  await enterAs(page, "staff");
  await page.goto(`${home}/migration`);
  await page.keyboard.press("?");
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(shortcuts.getByText("Go to Patients")).toBeVisible();
  await expect(shortcuts.getByText(/Go to (Events|Sync|API clients|Settings)/)).toHaveCount(0);
  await page.keyboard.press("Escape");
  for (const key of ["g", "e"]) await page.keyboard.press(key);
  await page.keyboard.press("ControlOrMeta+K");
  for (const [text, options] of [
    ["migration", 2],
    ["events", 0],
    ["settings", 0],
  ] as const) {
    await page.getByRole("combobox", { name: "Go to" }).fill(text);
    await expect(page.getByText("Searching patients…")).toHaveCount(0);
    await expect(page.getByRole("option", { name: new RegExp(text, "i") })).toHaveCount(options);
  }
  await expect(page).toHaveURL(`${home}/migration`);
});

test.describe("a page that needs another role", () => {
  test.use({ expectedErrors: /status of 403/ });

  test("names the required role and the admins", async ({ page }) => {
    for (const [role, path, title, needed] of [
      ["staff", "events", "Only admins can open Events", "admin"],
      ["staff", "stream", "Only admins can open Sync", "admin"],
      ["viewer", "settings/clients", "Only admins can open API clients", "admin"],
      ["viewer", "settings/audit", "Only admins can open Settings", "admin"],
      ["viewer", "migration/new", "Your account can only view records", "staff"],
    ] as const) {
      await page.context().clearCookies();
      await enterAs(page, role);
      const response = await page.goto(`${home}/${path}`);
      expect(response?.status(), path).toBe(403);
      await expect(page.getByRole("heading", { name: title })).toBeVisible();
      await expect(page.getByText(`This page needs the ${needed} role. Your role is ${role}.`)).toContainText(
        "ask an admin of this practice: Demo admin.",
      );
    }
  });
});

test("a search on a touch screen waits to be tapped, so that no keyboard opens", async ({ browser, baseURL }) => {
  const { defaultBrowserType: _type, ...phone } = devices["Pixel 7"];
  const page = await browser.newPage({ ...phone, ...(baseURL ? { baseURL } : {}) });
  await enterAs(page, "staff");
  await page.goto(home);
  await page
    .getByText(/^[\d,]+$/)
    .first()
    .waitFor();
  await expect(lookup(page)).not.toBeFocused();
  await lookup(page).tap();
  await expect(lookup(page)).toBeFocused();
  await page.close();
});

test("a search takes no focus from what the user reached before the page was ready", async ({ page }) => {
  await enterAs(page, "staff");
  await page.addInitScript(() => {
    document.addEventListener("DOMContentLoaded", () =>
      document.querySelector<HTMLElement>("a[href='#main']")?.focus(),
    );
  });
  await page.goto(home);
  await page
    .getByText(/^[\d,]+$/)
    .first()
    .waitFor();
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
});
