// A patient's page at the counter: what staff need first, in few clicks, and on one printed page.
import { expect, type Page } from "@playwright/test";
import { readPdf } from "@/tests/support/pdf";
import { api, newCardImage, newPatient, newPolicy, practices } from "./support/demo";
import { photo } from "./support/pictures";
import { takePicture, wantsPictures } from "./support/screens";
import { enterAs, test } from "./support/test";

const { enabled } = practices();
const list = `/practices/${enabled}/patients`;

/** Opens a search result, the first click of each job. */
async function openResult(page: Page, lastName: string): Promise<void> {
  await page.goto(`${list}?search=${lastName}`);
  await page.getByRole("link", { name: lastName }).click();
}

test.beforeEach(({ page }) => enterAs(page, "staff"));

test("a member ID is changed with three clicks from the search result", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  await openResult(page, patient.lastName);
  await page.getByRole("link", { name: "Edit Acme Health, Gold PPO" }).click();
  await page.getByLabel("Member ID", { exact: true }).fill("THREE-1");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Policy saved", { exact: true }).first()).toBeVisible();
  expect(await api("GET", `patients/${patient.id}/policies/${id}`)).toMatchObject({ member_id: "THREE-1" });
});

test("adding and editing on the patient page return there, with the focus on the saved card", async ({ page }) => {
  const patient = await newPatient(enabled);
  const home = `${list}/${patient.id}`;
  const heading = (name: string) => page.getByRole("article").getByRole("heading", { name });
  await page.goto(home);
  for (const carrier of ["First Health", "Second Health"]) {
    await page.getByRole("link", { name: "Add policy" }).first().click();
    await page.getByRole("combobox", { name: "Payer" }).click();
    await page.keyboard.type(carrier);
    await page.getByRole("option", { name: /as typed/ }).click();
    await page.getByRole("button", { name: "Add policy" }).click();
    await expect(page.getByText(`${carrier} added`, { exact: true }).first()).toBeVisible();
    await expect(page).toHaveURL(home);
    await expect(heading(carrier)).toBeFocused();
  }
  const edit = page.getByRole("link", { name: "Edit Second Health" });
  await edit.click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page).toHaveURL(home);
  await edit.click();
  await page.getByLabel("Member ID", { exact: true }).fill("BACK-1");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Policy saved", { exact: true }).first()).toBeVisible();
  await expect(page).toHaveURL(home);
  await expect(heading("Second Health")).toBeFocused();
  await expect(heading("Second Health")).toBeInViewport();
  await expect(page.getByRole("article", { name: /^Secondary/ })).toContainText("BACK-1");

  // From the policy's page, they return there.
  await heading("Second Health").getByRole("link").click();
  const policy = /\/policies\/\d+$/;
  await expect(page).toHaveURL(policy);
  await page.getByRole("link", { name: "Edit policy" }).click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page).toHaveURL(policy);
  await page.getByRole("link", { name: "Edit policy" }).click();
  await page.getByLabel("Member ID", { exact: true }).fill("BACK-2");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page).toHaveURL(policy);
});

test("the third click from the search result opens the file dialog that replaces a card", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  await newCardImage(patient, id, 1);
  await openResult(page, patient.lastName);
  await page.getByRole("article").getByRole("link", { name: "Acme Health", exact: true }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Replace front" }).click();
  await (await chooser).setFiles(await photo("new.jpg", 200));
  await page.getByRole("dialog").getByRole("button", { name: "Replace image" }).click();
  await expect(page.getByText("Front replaced").first()).toBeVisible();
});

test("a card and its policy's page show first what the counter needs", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, {
    group_id: "G-77",
    phone: "207-555-0110",
    extension: "12",
    copay: "25.00",
    start_date: "2026-01-01",
  });
  await newCardImage(patient, id, 1);
  await page.goto(`${list}/${patient.id}`);
  const facts = ["ACM100", "G-77", "207-555-0110 ext. 12", "$25.00", "Jan 1, 2026 – present"];
  const card = page.getByRole("article");
  for (const fact of facts) await expect(card).toContainText(fact);
  await expect(card.getByRole("button", { name: /^View front/ })).toBeVisible();

  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(`${list}/${patient.id}/policies/${id}`);
  const glance = page.getByRole("region", { name: "At a glance" });
  for (const fact of facts) await expect(glance).toContainText(fact);
  await expect(page.getByRole("button", { name: "Enlarge front" }).first()).toBeInViewport();
  await expect(page.getByText("Not on file: subscriber", { exact: true })).toBeVisible();
  const [details, history] = await Promise.all(
    ["Details", "History"].map((name) => page.getByRole("heading", { name, exact: true }).boundingBox()),
  );
  expect(history?.y).toBe(details?.y);
  expect(history?.x).toBeGreaterThan(details?.x ?? 0);
  for (const width of wantsPictures ? [1280, 390] : []) {
    await page.setViewportSize({ width, height: 900 });
    await takePicture(page, `policy-counter-${width}`, { fullPage: true });
  }
});

test("a new order and a dialog stay open when the window becomes narrow and wide again", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, { carrier: "Beacon Mutual" });
  await api("DELETE", `patients/${patient.id}/policies/${id}`);
  await newPolicy(patient);
  await page.goto(`${list}/${patient.id}`);
  await page.getByRole("button", { name: "Change order" }).click();
  const orderForm = page.getByRole("button", { name: /^Move Acme Health/ }).first();
  await expect(orderForm).toBeVisible();
  await page.locator("summary", { hasText: "Archived policies" }).click();
  const restore = page.getByRole("button", { name: "Restore Beacon Mutual, Gold PPO" });
  await restore.click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  for (const [width, tabs] of [
    [1000, 3],
    [1300, 0],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await expect(page.getByRole("tab", { includeHidden: true })).toHaveCount(tabs);
    await expect(dialog).toBeVisible();
  }
  await page.keyboard.press("Escape");
  await expect(restore).toBeFocused();
  await expect(orderForm).toBeVisible();
});

test("an archived policy is restored from the patient's page", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  await api("DELETE", `patients/${patient.id}/policies/${id}`);
  await page.goto(`${list}/${patient.id}`);
  await page.locator("summary", { hasText: "Archived policies" }).click();
  await page.getByRole("button", { name: "Restore Acme Health, Gold PPO" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore policy" }).click();
  await expect(page.getByRole("article", { name: /^Primary: Acme Health/ })).toBeVisible();
  expect(await api("GET", `patients/${patient.id}/policies/${id}`)).toMatchObject({ status: "active", rank: 1 });
});

test.describe("an archived policy that someone else has changed", () => {
  test.use({ expectedErrors: /status of 412/ });

  test("is restored with the second try", async ({ page }) => {
    const patient = await newPatient(enabled);
    const { id } = await newPolicy(patient);
    const path = `patients/${patient.id}/policies/${id}`;
    await api("DELETE", path);
    // Otherwise the page may notice the change before the first try.
    await page.route("**/state", () => {});
    await page.goto(`${list}/${patient.id}`);
    await page.locator("summary", { hasText: "Archived policies" }).click();
    await page.getByRole("button", { name: "Restore Acme Health, Gold PPO" }).click();
    const dialog = page.getByRole("dialog");
    const restore = dialog.getByRole("button", { name: "Restore policy" });
    await expect(dialog.getByText("What will happen")).toBeVisible();
    await api("POST", `${path}/restore`);
    await api("DELETE", path);
    const reread = page.waitForResponse((response) => response.url().endsWith(`/patients/${patient.id}`));
    await restore.click();
    await expect(dialog.getByRole("alert")).toContainText("The policy was not restored");
    await reread;
    await expect(dialog.getByText("What will happen")).toBeVisible();
    await restore.click();
    await expect(page.getByRole("article", { name: /^Primary: Acme Health/ })).toBeVisible();
  });
});

test("a patient is printed on one page, with the practice's name and all policies", async ({ page }) => {
  const patient = await newPatient(enabled);
  const carriers = ["First Health", "Second Health", "Third Health"];
  for (const [index, carrier] of carriers.entries()) {
    const { id } = await newPolicy(patient, { rank: index + 1, carrier, group_id: "G-1", copay: "20.00" });
    for (const side of [1, 2]) await newCardImage(patient, id, side);
    for (let change = 0; change < 8; change++)
      await api("PATCH", `patients/${patient.id}/policies/${id}`, { body: { member_id: `M-${change}` } });
  }
  await page.goto(`${list}/${patient.id}`);
  const practice = await page.getByRole("button", { name: /^Practice: .* Switch$/ }).textContent();
  await expect(page.getByRole("article")).toHaveCount(3);
  const { pages } = await readPdf(await page.pdf({ format: "Letter" }));
  expect(pages).toHaveLength(1);
  for (const text of [practice?.trim() ?? "", patient.lastName, ...carriers]) expect(pages[0]).toContain(text);
});
