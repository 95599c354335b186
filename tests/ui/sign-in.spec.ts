// Coming in and going, as people do it. What the server does with sessions is in tests/api/staff-sign-in.test.ts.
import { expect } from "@playwright/test";
import { accountOf, newPatient, practices } from "./support/demo";
import { press } from "./support/keyboard";
import { endSessionElsewhere, enterAs, signIn, signInByKeyboard, test } from "./support/test";

const { enabled, foreign } = practices();

test("signing in leads where one wanted to go, signing out closes the door behind", async ({ page }) => {
  await page.goto(`/practices/${enabled}/patients?search=lo`);
  await expect(page).toHaveURL(/\/sign-in\?to=/);
  const { email, password } = accountOf("viewer");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(`/practices/${enabled}/patients?search=lo`);
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
  await page.goto(`/practices/${enabled}/patients`);
  await expect(page).toHaveURL(/\/sign-in/);
});

test("by keyboard: in with Enter, out through the menu", async ({ page }) => {
  await signInByKeyboard(page, "staff");
  await press(page, page.getByRole("button", { name: /^Account:/ }));
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("End");
  await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/sign-in");
});

test.describe("refusals", () => {
  test.use({ expectedTrouble: /status of (401|429)/ });

  test("a wrong password says so without telling which part was wrong, and keeps the address", async ({ page }) => {
    const { email } = accountOf("staff");
    await page.goto("/sign-in");
    for (const address of ["nobody@harborlight.example", email]) {
      await page.getByLabel("E-mail address").fill(address);
      await page.getByLabel("Password").fill("not the password");
      await page.getByRole("button", { name: "Sign in" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "The e-mail address or password is incorrect." });
      await expect(alert).toBeVisible();
      await expect(page.getByLabel("E-mail address")).toHaveValue(address);
    }
  });

  test("too many wrong passwords say for how long, and what to do instead", async ({ page }) => {
    await page.goto("/sign-in");
    const alert = page.getByRole("alert");
    const throttled = alert.filter({
      hasText: /^Too many wrong passwords\. Try again in 15 minutes, or sign in from a browser/,
    });
    await page.getByLabel("E-mail address").fill("throttled@harborlight.example");
    await page.getByLabel("Password").fill("not the password");
    await expect(async () => {
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(throttled).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await expect(page.getByLabel("E-mail address")).toHaveValue("throttled@harborlight.example");
  });

  test("a session that ends under one's hands is taken up again in place", async ({ page }) => {
    await enterAs(page, "viewer", { alone: true });
    await page.goto(`/practices/${enabled}/patients`);
    const patient = await newPatient(enabled);
    await endSessionElsewhere(page);
    await page.getByRole("searchbox", { name: "Search patients" }).fill(patient.lastName);
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await expect(dialog.getByLabel("E-mail address")).toHaveValue(accountOf("viewer").email);
    await dialog.getByLabel("Password").fill(accountOf("viewer").password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("searchbox", { name: "Search patients" })).toHaveValue(patient.lastName);
    await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();
  });

  test("who does not sign in again is told so, and asked once more by what they do next", async ({ page }) => {
    await enterAs(page, "viewer", { alone: true });
    await page.goto(`/practices/${enabled}/patients`);
    await endSessionElsewhere(page);
    const search = page.getByRole("searchbox", { name: "Search patients" });
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await search.fill("Nobody");
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("alert").filter({ hasText: "signed out" })).toBeVisible();
    await search.fill("Somebody");
    await dialog.getByLabel("Password").fill(accountOf("viewer").password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText("No patient fits this search")).toBeVisible();
  });
});

test.describe("what is not theirs", () => {
  test.use({ expectedTrouble: /status of 404/ });

  test("another practice's pages read as pages that do not exist", async ({ page }) => {
    await signIn(page, "admin");
    const answer = await page.goto(`/practices/${foreign}/patients`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByText("Juniper Valley")).toHaveCount(0);
  });
});
