// Signing in and out as people do it. tests/api/staff-sign-in.test.ts tests what the server does with sessions.
import { expect } from "@playwright/test";
import { accountOf, newPatient, practices } from "./support/demo";
import { press } from "./support/keyboard";
import { endSessionElsewhere, enterAs, signIn, signInByKeyboard, test } from "./support/test";

const { enabled, foreign } = practices();

test("signing in leads to the requested page, and signing out ends access", async ({ page }) => {
  await page.goto(`/practices/${enabled}/patients?search=lo`);
  await expect(page).toHaveURL(/\/sign-in\?to=/);
  const { email, password } = accountOf("viewer");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(`/practices/${enabled}/patients?search=lo`);
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL("/sign-in");
  await page.goto(`/practices/${enabled}/patients`);
  await expect(page).toHaveURL(/\/sign-in/);
});

test("by keyboard: Enter signs in, and the menu signs out", async ({ page }) => {
  await signInByKeyboard(page, "staff");
  await press(page, page.getByRole("button", { name: /^Account:/ }));
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("End");
  await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/sign-in");
});

test.describe("rejections", () => {
  test.use({ expectedErrors: /status of (401|429)/ });

  test("a wrong password is reported without revealing which part was wrong, and the address stays", async ({
    page,
  }) => {
    const { email } = accountOf("staff");
    await page.goto("/sign-in");
    for (const address of ["nobody@harborlight.example", email]) {
      await page.getByLabel("Email address").fill(address);
      await page.getByLabel("Password").fill("not the password");
      await page.getByRole("button", { name: "Sign in" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "Incorrect email or password." });
      await expect(alert).toBeVisible();
      await expect(page.getByLabel("Email address")).toHaveValue(address);
    }
  });

  test("after too many wrong passwords, the message says how long to wait and what to do instead", async ({ page }) => {
    await page.goto("/sign-in");
    const alert = page.getByRole("alert");
    const throttled = alert.filter({
      hasText: /^Too many wrong passwords\. Try again in 15 minutes, or sign in from a browser/,
    });
    await page.getByLabel("Email address").fill("throttled@harborlight.example");
    await page.getByLabel("Password").fill("not the password");
    await expect(async () => {
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(throttled).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await expect(page.getByLabel("Email address")).toHaveValue("throttled@harborlight.example");
  });

  test("a session that ends during work resumes in place", async ({ page }) => {
    await enterAs(page, "viewer", { alone: true });
    await page.goto(`/practices/${enabled}/patients`);
    const patient = await newPatient(enabled);
    await endSessionElsewhere(page);
    await page.getByRole("searchbox", { name: "Search patients" }).fill(patient.lastName);
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await expect(dialog.getByLabel("Email address")).toHaveValue(accountOf("viewer").email);
    await dialog.getByLabel("Password").fill(accountOf("viewer").password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("searchbox", { name: "Search patients" })).toHaveValue(patient.lastName);
    await expect(page.getByRole("link", { name: patient.shownName })).toBeVisible();
  });

  test("a user who does not sign in again sees a message, and the next action asks again", async ({ page }) => {
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
    await expect(page.getByText("No patients match")).toBeVisible();
  });
});

test.describe("other practices", () => {
  test.use({ expectedErrors: /status of 404/ });

  test("pages of another practice look like pages that do not exist", async ({ page }) => {
    await signIn(page, "admin");
    const response = await page.goto(`/practices/${foreign}/patients`);
    expect(response?.status()).toBe(404);
    await expect(page.getByText("Juniper Valley")).toHaveCount(0);
  });
});
