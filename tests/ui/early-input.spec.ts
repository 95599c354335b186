// Input before a page's code has loaded, or at the moment a layer opens, takes effect and is not lost.
import { expect, type Page } from "@playwright/test";
import { newCardImage, newPatient, newPolicy, practices } from "./support/demo";
import { holdRepeats, openWithoutScript, openWithoutScripts } from "./support/held-scripts";
import { openGroup } from "./support/policy-form";
import { enterAs, test } from "./support/test";

const { enabled } = practices();
const practicePath = `/practices/${enabled}`;

// Only admins can open every page that these tests use.
test.beforeEach(({ page }) => enterAs(page, "admin"));

test("a button that is pressed before the page is ready acts once it is ready", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  const letGo = await openWithoutScripts(page, `${practicePath}/patients/${patient.id}/policies/${id}`);
  await page.getByRole("button", { name: "Archive policy" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  letGo();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Archive policy" })).toBeVisible();
});

test("a menu whose button is pressed before the page is ready opens once it is ready", async ({ page }) => {
  const letGo = await openWithoutScripts(page, practicePath);
  await page.getByRole("button", { name: /^Account:/ }).click();
  letGo();
  await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
});

test("shortcuts work before the page is ready: `?`, `g` with a place, and Ctrl K with the text that follows", async ({
  page,
}) => {
  // A page without a main search, which would get the keys.
  const first = await openWithoutScripts(page, `${practicePath}/migration`);
  await page.keyboard.press("?");
  first();
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();

  const second = await openWithoutScripts(page, `${practicePath}/migration`);
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  second();
  await expect(page).toHaveURL(`${practicePath}/patients`);

  const patient = await newPatient(enabled);
  const third = await openWithoutScripts(page, practicePath);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type(`${patient.lastName}x`);
  await page.keyboard.press("Backspace");
  third();
  await expect(page.getByRole("option", { name: patient.shownName })).toBeVisible();
  await expect(page.getByLabel("Go to").last()).toHaveValue(patient.lastName);
});

test("text typed on arrival goes into the main search, and text after Ctrl K into the palette", async ({ page }) => {
  const patient = await newPatient(enabled);
  const first = await openWithoutScripts(page, `${practicePath}/patients`);
  const search = page.getByRole("searchbox", { name: "Search patients" });
  await expect(search).toBeFocused();
  await page.keyboard.type(patient.lastName);
  await expect(search).toHaveValue(patient.lastName);
  first();
  await expect(page).toHaveURL(new RegExp(`search=${patient.lastName}`));
  await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();

  const second = await openWithoutScripts(page, `${practicePath}/patients`);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type(patient.lastName);
  second();
  await expect(page.getByRole("option", { name: patient.shownName })).toBeVisible();
  // The palette hides the page from assistive technology.
  await expect(page.locator("#main [aria-keyshortcuts='/']")).toHaveValue("");
});

test("the search on Home keeps text typed before the page is ready", async ({ page }) => {
  const patient = await newPatient(enabled);
  const letGo = await openWithoutScripts(page, practicePath);
  const search = page.getByRole("combobox", { name: "Search patients" });
  await expect(search).toBeFocused();
  await page.keyboard.type(patient.lastName.slice(0, 3));
  letGo();
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.type(patient.lastName.slice(3));
  await expect(search).toHaveValue(patient.lastName);
  await expect(page.getByRole("option", { name: patient.shownName })).toBeVisible();
});

test("text typed after Ctrl K is searched for, however late the palette's code loads", async ({ page }) => {
  const patient = await newPatient(enabled);
  const letGo = await openWithoutScript(page, practicePath, "Type at least two letters");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type(patient.lastName.slice(0, 4));
  letGo();
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.type(patient.lastName.slice(4));
  await expect(page.getByRole("option", { name: patient.shownName })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the palette returns the focus, however late its code loads", async ({ page }) => {
  const path = `${practicePath}/migration`;
  const opener = page.getByRole("button", { name: /^Go to/ });
  const search = page.getByRole("dialog").getByLabel("Go to");
  const letGo = await openWithoutScript(page, path, "Type at least two letters");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(search).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(search).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();

  await opener.click();
  await expect(search).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(search).toBeFocused();
  letGo();
  // The palette replaces what was shown while its code was missing.
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();
});

test("keys pressed while earlier ones are replayed take effect after them", async ({ page }) => {
  const repeat = await holdRepeats(page);
  const letGo = await openWithoutScripts(page, practicePath);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("Qu");
  letGo();
  const search = page.getByRole("dialog").getByLabel("Go to");
  await expect(async () => {
    await repeat(1);
    await expect(search).toBeFocused({ timeout: 500 });
  }).toPass();
  await page.keyboard.type("inx");
  await page.keyboard.press("Backspace");
  await repeat();
  await expect(search).toHaveValue("Quin");
});

test("Space or Enter on a button before the page is ready acts once, as it would later", async ({ page }) => {
  const patient = await newPatient(enabled);
  const repeat = await holdRepeats(page);
  await page.goto(`${practicePath}/patients/${patient.id}/policies/new`);
  const carrier = page.getByRole("combobox", { name: "Payer" });
  await expect(carrier).toBeEnabled();
  await carrier.focus();
  await page.keyboard.type("Late but whole");
  await repeat();
  await expect(page.getByPlaceholder("Type to search")).toHaveValue("Late but whole");

  for (const key of ["Enter", " "]) {
    const letGo = await openWithoutScripts(page, practicePath);
    await page.getByRole("button", { name: /^Account:/ }).focus();
    await page.keyboard.press(key);
    // It was meant for this button, wherever the focus moves until the page is ready.
    await page.keyboard.press("Shift+Tab");
    letGo();
    await repeat();
    await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
  }
});

test("a field that loses focus before its rules have loaded is normalized once they have", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  const edit = `${practicePath}/patients/${patient.id}/policies/${id}/edit`;
  const letGo = await openWithoutScript(page, edit, "Enter up to 6 digits");
  const [zip, phone] = [page.getByLabel("Subscriber ZIP code"), page.getByLabel("Phone")];
  for (const group of ["Subscriber", "Claims address"]) await openGroup(page, group);
  await zip.fill("048431234");
  await zip.blur();
  await phone.fill("(207) 555-0110");
  await phone.blur();
  await phone.fill("207-555-01");
  await expect(zip).toHaveValue("048431234");
  letGo();
  await expect(zip).toHaveValue("04843-1234");
  await expect(phone).toHaveValue("207-555-01");
});

test("an input that could lose text is disabled until the page is ready; a search keeps it", async ({ page }) => {
  const letGo = await openWithoutScripts(page, `${practicePath}/migration/what-if`);
  const inputs = page.getByRole("main").locator("input, select, textarea");
  await expect(inputs.first()).toBeVisible();
  for (const input of await inputs.all()) await expect(input).toBeDisabled();
  letGo();
  for (const input of await inputs.all()) await expect(input).toBeEnabled();

  const patient = await newPatient(enabled);
  const again = await openWithoutScripts(page, `${practicePath}/patients`);
  await page.getByRole("searchbox", { name: "Search patients" }).fill(patient.lastName);
  again();
  await expect(page.getByRole("row")).toHaveCount(2);
});

test("the first select and checkbox of a list are disabled until the page is ready", async ({ page }) => {
  const letGo = await openWithoutScripts(page, `${practicePath}/events`);
  const filters = page.getByRole("main").locator("select, input[type=checkbox]");
  expect(await filters.count()).toBeGreaterThan(3);
  for (const filter of await filters.all()) await expect(filter).toBeDisabled();
  letGo();
  for (const filter of await filters.all()) await expect(filter).toBeEnabled();
});

/** Presses Escape in the task that adds a layer to the page, before any of its later effects. */
async function pressEscapeAsItShows(page: Page): Promise<void> {
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const layer = document.querySelector("[role=dialog], [role=menu]");
      if (!layer) return;
      observer.disconnect();
      const press = { key: "Escape", bubbles: true, cancelable: true };
      (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", press));
    }).observe(document.body, { childList: true, subtree: true });
  });
}

test("Escape closes a layer from the moment it appears, and the focus returns", async ({ page }) => {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  await newCardImage(patient, id, 1);
  const policy = `${practicePath}/patients/${patient.id}/policies/${id}`;
  const openers = [
    [policy, page.getByRole("button", { name: "Enlarge front" }).first()],
    [policy, page.getByRole("button", { name: "Archive policy" })],
    [practicePath, page.getByRole("button", { name: /^Account:/ })],
    [`${policy}/edit`, page.getByRole("combobox", { name: /^Payer/ })],
    [`${practicePath}/events`, page.getByRole("button", { name: /^Send all/ })],
  ] as const;
  for (const [path, opener] of openers) {
    await page.goto(path);
    await expect(opener).toBeEnabled();
    // Its code is loaded, as for a user who has had the page open for a while.
    await opener.click();
    await expect(page.locator("[role=dialog], [role=menu]")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.locator("[role=dialog], [role=menu]")).toHaveCount(0);
    await pressEscapeAsItShows(page);
    await opener.click();
    await expect(page.locator("[role=dialog], [role=menu]"), `${opener}`).toHaveCount(0);
    await expect(opener).toBeFocused();
  }
});
