// A rank that another policy has: the user chooses what happens to that policy, sees a preview, and can undo.
import { expect, type Page } from "@playwright/test";
import { findViolations } from "./support/axe";
import { api, type NewPatient, newPatient, newPolicy, practices } from "./support/demo";
import { takePicture } from "./support/screens";
import { enterAs, test } from "./support/test";

const { enabled } = practices();
const pageOf = (patient: NewPatient, ...rest: (string | number)[]) =>
  ["", "practices", enabled, "patients", patient.id, ...rest].join("/");

/** Reads the patient's ranks by carrier; `archived` for an archived policy. */
async function readRanks(patient: NewPatient): Promise<Record<string, number | string | null>> {
  const { results } = await api("GET", `patients/${patient.id}/policies`);
  return Object.fromEntries(
    results.map((one: { carrier: string; rank: number; status: string }) => [
      one.carrier,
      one.status === "archived" ? "archived" : one.rank,
    ]),
  );
}

/** Creates two policies: Acme Health is primary, Beacon Mutual secondary. */
async function createTwoPolicies() {
  const patient = await newPatient(enabled);
  const primary = await newPolicy(patient, { carrier: "Acme Health", plan: null });
  const secondary = await newPolicy(patient, { carrier: "Beacon Mutual", plan: null, rank: 2 });
  return { patient, primary, secondary };
}

const choice = (page: Page) => page.getByRole("group", { name: "Acme Health is currently primary" });
const undo = (page: Page) => page.getByRole("button", { name: "Undo" });
const undone = (page: Page) => page.getByText("Change undone. The policies are back to their previous state.").first();

test.beforeEach(({ page }) => enterAs(page, "staff"));

test("an edit to an occupied rank swaps the two by default, and undo swaps them back", async ({ page }) => {
  const { patient, primary, secondary } = await createTwoPolicies();
  await page.goto(pageOf(patient, "policies", secondary.id, "edit"));
  await page.getByLabel("Rank").selectOption("1");
  await expect(choice(page).getByRole("radio", { name: /^Swap/ })).toBeChecked();
  await expect(choice(page)).toContainText("Acme Health, currently primary, becomes secondary.");
  await expect(choice(page)).toContainText("Beacon Mutual, currently secondary, becomes primary.");
  for (const colorScheme of ["light", "dark"] as const) {
    expect(await findViolations(page, colorScheme, "main")).toEqual([]);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `rank-choice-${width}-${colorScheme}`, { fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole("button", { name: "Save and swap with Acme Health" }).click();
  await expect(undo(page)).toBeVisible();
  expect(await readRanks(patient)).toEqual({ "Acme Health": 2, "Beacon Mutual": 1 });
  await undo(page).click();
  await expect(undone(page)).toBeVisible();
  expect(await readRanks(patient)).toEqual({ "Acme Health": 1, "Beacon Mutual": 2 });
  const { version } = await api("GET", `patients/${patient.id}/policies/${primary.id}`);
  const last = await api("GET", `patients/${patient.id}/policies/${primary.id}/versions/${version}`);
  expect(last).toMatchObject({ version: 3, reason: "Rank change undone", source: "staff" });
});

test("the other policy moves to the next free rank or is archived on request; the preview follows the choice", async ({
  page,
}) => {
  const { patient, secondary } = await createTwoPolicies();
  await page.goto(pageOf(patient, "policies", secondary.id, "edit"));
  await page.getByLabel("Rank").selectOption("1");
  await choice(page)
    .getByRole("radio", { name: /^Archive Acme Health/ })
    .check();
  await expect(choice(page)).toContainText("Acme Health is archived.");
  await expect(page.getByRole("button", { name: "Save and archive Acme Health" })).toBeVisible();
  await choice(page)
    .getByRole("radio", { name: /^Move Acme Health to tertiary/ })
    .check();
  await expect(choice(page)).toContainText("Acme Health, currently primary, becomes tertiary.");
  await page.getByRole("button", { name: "Save and move Acme Health to tertiary" }).click();
  await expect(undo(page)).toBeVisible();
  expect(await readRanks(patient)).toEqual({ "Acme Health": 3, "Beacon Mutual": 1 });
});

test("a new policy at an occupied rank moves the other one, or archives it if no rank is free", async ({ page }) => {
  const { patient } = await createTwoPolicies();
  const add = async (carrier: string) => {
    await page.goto(pageOf(patient, "policies", "new"));
    await page.getByRole("combobox", { name: "Payer" }).click();
    await page.keyboard.type(carrier);
    await page.getByRole("option", { name: /as typed/ }).click();
    await page.getByLabel("Rank").selectOption("1");
  };
  await add("Third Health");
  await expect(choice(page).getByRole("radio", { name: /^Swap/ })).toHaveCount(0);
  await expect(choice(page).getByRole("radio", { name: /^Move/ })).toBeChecked();
  await page.getByRole("button", { name: "Add and move Acme Health to tertiary" }).click();
  await expect(undo(page)).toBeVisible();
  expect(await readRanks(patient)).toEqual({ "Acme Health": 3, "Beacon Mutual": 2, "Third Health": 1 });

  await add("Fourth Health");
  await page.getByRole("button", { name: "Add and archive Third Health" }).click();
  await expect(undo(page)).toBeVisible();
  expect(await readRanks(patient)).toMatchObject({ "Third Health": "archived", "Fourth Health": 1 });
  await undo(page).click();
  await expect(undone(page)).toBeVisible();
  expect(await readRanks(patient)).toMatchObject({ "Third Health": 1, "Fourth Health": "archived" });
});

test.describe("a policy whose coverage has ended", () => {
  /** Acme Health is primary and has ended. */
  async function createEnded() {
    const patient = await newPatient(enabled);
    const ended = { carrier: "Acme Health", plan: null, start_date: "2024-01-01", end_date: "2025-12-31" };
    return { patient, ended: await newPolicy(patient, ended) };
  }
  const typePayer = async (page: Page, carrier: string) => {
    await page.getByRole("combobox", { name: "Payer" }).click();
    await page.keyboard.type(carrier);
    await page.getByRole("option", { name: /as typed/ }).click();
  };

  test("is archived by default when a new policy takes its rank, which is suggested, and undo restores it", async ({
    page,
  }) => {
    const { patient } = await createEnded();
    await page.goto(pageOf(patient, "policies", "new"));
    await expect(page.getByRole("combobox", { name: "Rank" })).toHaveValue("1");
    await expect(choice(page).getByRole("radio")).toHaveCount(2);
    await expect(choice(page).getByRole("radio").first()).toBeChecked();
    await expect(choice(page).getByRole("radio", { name: /^Archive/ })).toBeChecked();
    await expect(choice(page)).toContainText("Acme Health is archived.");
    await typePayer(page, "New Health");
    await page.getByRole("button", { name: "Add and archive Acme Health" }).click();
    await expect(undo(page)).toBeVisible();
    expect(await readRanks(patient)).toEqual({ "Acme Health": "archived", "New Health": 1 });
    await undo(page).click();
    await expect(undone(page)).toBeVisible();
    expect(await readRanks(patient)).toEqual({ "Acme Health": 1, "New Health": "archived" });
  });

  test("is replaced from its card on the patient page, while a current policy keeps its rank", async ({ page }) => {
    const { patient } = await createEnded();
    await newPolicy(patient, { carrier: "Beacon Mutual", plan: null, rank: 2 });
    await page.goto(pageOf(patient));
    await expect(page.getByRole("link", { name: "Replace policy Beacon Mutual" })).toHaveCount(0);
    const replace = page.getByRole("link", { name: "Replace policy Acme Health" });
    await expect(replace).toBeVisible();
    for (const colorScheme of ["light", "dark"] as const)
      expect(await findViolations(page, colorScheme, "main")).toEqual([]);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `replace-policy-${width}-light`);
    }
    await replace.click();
    await expect(page.getByRole("heading", { name: "Replace Acme Health" })).toBeVisible();
    await expect(page).toHaveTitle(/^Replace policy/);
    const rank = page.getByRole("combobox", { name: "Rank" });
    await expect(rank).toHaveValue("1");
    const stays = page.getByText("Acme Health stays primary and active. To archive it, select Primary.");
    await rank.selectOption("3");
    await expect(stays).toBeVisible();
    await rank.selectOption("1");
    await expect(stays).toBeHidden();
    await typePayer(page, "New Health");
    await page.getByRole("button", { name: "Add and archive Acme Health" }).click();
    await expect(undo(page)).toBeVisible();
    expect(await readRanks(patient)).toEqual({ "Acme Health": "archived", "Beacon Mutual": 2, "New Health": 1 });
  });

  test("is named in the address of the form; an ID that is not an active policy of the patient is ignored", async ({
    page,
  }) => {
    const { patient, secondary } = await createTwoPolicies();
    const other = await createTwoPolicies();
    await page.goto(`${pageOf(patient, "policies", "new")}?replaces=${secondary.id}`);
    await expect(page.getByRole("combobox", { name: "Rank" })).toHaveValue("2");
    await expect(page.getByRole("button", { name: "Add and archive Beacon Mutual" })).toBeVisible();
    for (const id of [other.primary.id, 999_999_999, "x"]) {
      await page.goto(`${pageOf(patient, "policies", "new")}?replaces=${id}`);
      await expect(page.getByRole("combobox", { name: "Rank" })).toHaveValue("3");
      await expect(page.getByRole("button", { name: "Add policy" })).toBeVisible();
    }
  });
});

test("a restored policy takes its rank back, and the policy there moves", async ({ page }) => {
  const { patient, primary } = await createTwoPolicies();
  await api("DELETE", `patients/${patient.id}/policies/${primary.id}`);
  await newPolicy(patient, { carrier: "Now Primary", plan: null });
  await page.goto(pageOf(patient, "policies", primary.id));
  await page.getByRole("button", { name: "Restore policy" }).click();
  const dialog = page.getByRole("dialog", { name: "Restore Acme Health?" });
  await expect(dialog.getByRole("radio", { name: /^Move Now Primary to tertiary/ })).toBeChecked();
  await expect(dialog).toContainText("Now Primary, currently primary, becomes tertiary.");
  await takePicture(page, "layer-restore-taken-1280-light");
  await dialog.getByRole("button", { name: "Restore and move Now Primary to tertiary" }).click();
  await expect(undo(page)).toBeVisible();
  expect(await readRanks(patient)).toEqual({ "Acme Health": 1, "Beacon Mutual": 2, "Now Primary": 3 });
  await undo(page).click();
  await expect(undone(page)).toBeVisible();
  expect(await readRanks(patient)).toEqual({ "Acme Health": "archived", "Beacon Mutual": 2, "Now Primary": 1 });
});

test("a policy whose rank can only be taken by archiving is restored without a rank by default", async ({ page }) => {
  const { patient, primary } = await createTwoPolicies();
  await api("DELETE", `patients/${patient.id}/policies/${primary.id}`);
  for (const [carrier, rank] of [
    ["Now Primary", 1],
    ["Now Tertiary", 3],
  ] as const)
    await newPolicy(patient, { carrier, rank });
  await page.goto(pageOf(patient, "policies", primary.id));
  await page.getByRole("button", { name: "Restore policy" }).click();
  const dialog = page.getByRole("dialog", { name: "Restore Acme Health?" });
  await expect(dialog.getByRole("radio", { name: /^Active without a rank/ })).toBeChecked();
  await dialog.getByRole("button", { name: "Restore policy" }).click();
  await expect(dialog).toBeHidden();
  const { results } = await api("GET", `patients/${patient.id}/policies`);
  expect(results).toHaveLength(4);
});

test.describe("undo after another user's change", () => {
  test.use({ expectedErrors: /status of 412/ });

  test("reports that nothing was undone", async ({ page }) => {
    const { patient, primary, secondary } = await createTwoPolicies();
    await page.goto(pageOf(patient, "policies", secondary.id, "edit"));
    await page.getByLabel("Rank").selectOption("1");
    await page.getByRole("button", { name: "Save and swap with Acme Health" }).click();
    await expect(undo(page)).toBeVisible();
    await api("PATCH", `patients/${patient.id}/policies/${primary.id}`, { body: { member_id: "LATER" } });
    await undo(page).click();
    await expect(page.getByText("Nothing was undone: one of these policies has changed since.").first()).toBeVisible();
    expect(await readRanks(patient)).toEqual({ "Acme Health": 2, "Beacon Mutual": 1 });
  });
});
