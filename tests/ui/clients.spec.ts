// Job 5: managing API clients.
import { expect, type Locator, type Page } from "@playwright/test";
import { base, newName, practices, tokenOf } from "./support/demo";
import { chooseByArrows, press, tabTo, type } from "./support/keyboard";
import { enterAs, goByKeys, signIn, signInByKeyboard, test } from "./support/test";

const { enabled } = practices();
const clientsPage = `/practices/${enabled}/settings/clients`;

const secretDialog = (page: Page) => page.getByRole("dialog", { name: "Save your client secret" });
const cardOf = (page: Page, name: string) =>
  page.getByRole("list", { name: "API clients" }).locator("> li").filter({ hasText: name });

/** Reads the client ID and the secret, which is shown once. */
async function readCredentials(dialog: Locator): Promise<[id: string, secret: string]> {
  const values = dialog.getByRole("definition");
  await expect(values).toHaveCount(2);
  const [id = "", secret = ""] = await values.allInnerTexts();
  return [id.trim(), secret.trim()];
}

/** Returns what the API allows this client: the practices it can read, or the status of the rejection. */
async function readAccess(id: string, secret: string): Promise<number | number[]> {
  const response = await tokenOf(id, secret);
  if (!response.ok) return response.status;
  const { access_token } = (await response.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}` };
  const read = await fetch(`${base()}/api/2.0/practices/`, { headers });
  const { results } = (await read.json()) as { results: { id: number }[] };
  return results.map((practice) => practice.id);
}

test("a client is registered and gets a token with its secret, which is rotated and revoked", async ({ page }) => {
  const name = `Billing ${newName()}`;
  await signIn(page, "admin");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API clients" }).click();
  await page.getByRole("button", { name: "Register client" }).click();
  const form = page.getByRole("dialog", { name: "Register API client" });
  await form.getByRole("textbox", { name: "Name" }).fill(name);
  await form.getByRole("button", { name: "Register client" }).click();

  const [id, secret] = await readCredentials(secretDialog(page));
  await page.keyboard.press("Escape");
  await expect(secretDialog(page), "the secret, which is shown only once, is not dismissed by accident").toBeVisible();
  await expect(secretDialog(page).getByRole("button", { name: "Done" })).toBeDisabled();
  await secretDialog(page).getByLabel("I have stored it").check();
  await secretDialog(page).getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(secret)).toHaveCount(0);
  expect(await readAccess(id, secret)).toEqual([enabled]);

  await cardOf(page, name)
    .getByRole("button", { name: `Actions for ${name}` })
    .click();
  await page.getByRole("menuitem", { name: "Rotate secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  const [same, second] = await readCredentials(secretDialog(page));
  await secretDialog(page).getByLabel("I have stored it").check();
  await secretDialog(page).getByRole("button", { name: "Done" }).click();
  expect(same).toBe(id);
  expect([await readAccess(id, secret), await readAccess(id, second)]).toEqual([[enabled], [enabled]]);

  const revokes = cardOf(page, name).getByRole("button", { name: /^Revoke secret/ });
  await expect(revokes).toHaveCount(2);
  await cardOf(page, name).getByRole("listitem").filter({ hasText: "expires" }).getByRole("button").click();
  await page.getByRole("dialog").getByLabel("Reason").fill("The old program is gone");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke secret" }).click();
  await expect(revokes).toHaveCount(1);
  expect([await readAccess(id, secret), await readAccess(id, second)]).toEqual([401, [enabled]]);
});

test("by keyboard: a client is registered with selected scopes, and disabled", async ({ page }) => {
  const name = `Reader ${newName()}`;
  await signInByKeyboard(page, "admin");
  await goByKeys(page, "a");
  await press(page, page.getByRole("button", { name: "Register client" }));
  const form = page.getByRole("dialog", { name: "Register API client" });
  await type(page, form.getByRole("textbox", { name: "Name" }), name);
  await tabTo(page, form.getByRole("radio", { name: /^All scopes/ }));
  await page.keyboard.press("ArrowDown");
  await expect(form.getByRole("radio", { name: /^Selected scopes only/ })).toBeChecked();
  await press(page, form.getByRole("checkbox", { name: "Read all resources" }), "Space");
  await press(page, form.getByRole("button", { name: "Register client" }));
  const [id, secret] = await readCredentials(secretDialog(page));
  await press(page, secretDialog(page).getByLabel("I have stored it"), "Space");
  await press(page, secretDialog(page).getByRole("button", { name: "Done" }));
  await expect(secretDialog(page)).toHaveCount(0);

  const requestToken = (scope: string) =>
    fetch(`${base()}/api/2.0/oauth2/token/`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret, scope }),
    });
  expect((await requestToken("system/patients.read")).status).toBe(200);
  expect((await requestToken("system/patients.write")).status).toBe(400);

  await press(page, cardOf(page, name).getByRole("button", { name: `Actions for ${name}` }));
  await chooseByArrows(page, /^Disable/);
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Disable client" }));
  await expect(cardOf(page, name).getByText("Disabled", { exact: true })).toBeVisible();
  expect((await requestToken("system/patients.read")).status).toBe(401);
});

test.describe("without the admin role", () => {
  test.use({ expectedErrors: /status of 403/ });

  test("the page is rejected, and nothing links to it", async ({ page }) => {
    await enterAs(page, "staff");
    await page.goto(`/practices/${enabled}/migration`);
    await expect(page.getByRole("link", { name: "API clients" })).toHaveCount(0);
    expect((await page.goto(clientsPage))?.status()).toBe(403);
  });
});
