// Job 2: switching Insurance Versioning. One practice, one test after the other.
import { expect, type Page } from "@playwright/test";
import { SWITCHED } from "./support/added-practices";
import { api, base, demo, newPatient, newPolicy, practices, tokenOf } from "./support/demo";
import { chooseByArrows, press, tabTo, type } from "./support/keyboard";
import { enterAs, goByKeys, signIn, signInByKeyboard, test } from "./support/test";

test.describe.configure({ mode: "serial" });

const { switched: practice } = practices();
const settings = `/practices/${practice}/settings`;

/** Returns the response to a legacy upload by rank, which depends on the switch (specification, States and transitions). */
async function uploadCardByRank(): Promise<number> {
  const patient = await newPatient(practice);
  await newPolicy(patient);
  const { client_id, client_secret } = demo().clients[0] as { client_id: string; client_secret: string };
  const { access_token } = (await (await tokenOf(client_id, client_secret)).json()) as { access_token: string };
  const { imageContent } = await import("@/tests/support/images");
  const response = await fetch(`${base()}/api/2.0/patients/${patient.id}/insurance_cards`, {
    method: "POST",
    headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
    body: JSON.stringify({ rank: 1, side: 1, image: await imageContent(3) }),
  });
  return response.status;
}

const turn = (page: Page, word: "on" | "off") =>
  page.getByRole("button", { name: new RegExp(`^Turn ${word} Insurance Versioning`) });
const history = (page: Page) => page.getByRole("region", { name: "Insurance Versioning" });

test("while it is off, insurances are edited by rank and replaced as a whole, and the page says so", async ({
  page,
}) => {
  const patient = await newPatient(practice);
  const policy = await newPolicy(patient, { member_id: "BEFORE-1" });
  const [before] = (await api("GET", `patients/${patient.id}`)).insurances;
  await enterAs(page, "staff");
  await page.goto(`/practices/${practice}/patients/${patient.id}`);
  const form = page.getByRole("form", { name: "Insurance", exact: true });
  await form.getByLabel("Member ID", { exact: true }).fill("AFTER-1");
  await form.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: /^Replace all insurance records for / });
  await expect(review).toContainText("Replaces 1 record with 1 new record");
  await review.getByRole("button", { name: "Replace all records" }).click();
  await expect(page.getByText("Insurance replaced").first()).toBeVisible();
  const [after] = (await api("GET", `patients/${patient.id}`)).insurances;
  expect(after).toMatchObject({ rank: "primary", member_id: "AFTER-1" });
  expect(after.id).not.toBe(before.id);
  const former = await api("GET", `patients/${patient.id}/policies/${policy.id}`);
  expect(former).toMatchObject({ status: "archived", archive_reason: "replaced_by_legacy_update" });
});

test("switching it on announces the effect, stores the reason and ends legacy uploads by rank", async ({ page }) => {
  expect(await uploadCardByRank()).toBeLessThan(300);
  await signIn(page, "admin");
  await page.goto(settings);
  await expect(page.getByText("Insurance Versioning is off", { exact: false }).first()).toBeVisible();
  await expect(page.getByText(/have insurance\. The next legacy write/)).toBeVisible();
  await expect(turn(page, "on")).toBeDisabled();
  await page.getByLabel("Reason").first().fill("The practice was trained");
  await turn(page, "on").click();
  await expect(page.getByText("Insurance Versioning is on.", { exact: false })).toBeVisible();
  await expect(history(page)).toContainText("The practice was trained");
  expect(await uploadCardByRank()).toBe(422);
});

test("a user with an open form keeps the input when the setting changes", async ({ page, browser }) => {
  const patient = await newPatient(practice);
  const policy = await newPolicy(patient);
  await enterAs(page, "staff");
  await page.goto(`/practices/${practice}/patients/${patient.id}/policies/${policy.id}/edit`);
  await page.getByLabel("Member ID", { exact: true }).fill("TYPED-BEFORE");
  const other = await browser.newPage({ baseURL: base() });
  await enterAs(other, "admin");
  await other.goto(settings);
  await other.getByLabel("Reason").first().fill("Switched during use");
  await turn(other, "off").click();
  await expect(other.getByText("Insurance Versioning is off.", { exact: false })).toBeVisible();
  await expect(page.getByLabel("Member ID", { exact: true })).toHaveValue("TYPED-BEFORE");
  await other.getByLabel("Reason").first().fill("And back");
  await turn(other, "on").click();
  await expect(other.getByText("Insurance Versioning is on.", { exact: false })).toBeVisible();
  await other.close();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Policy saved", { exact: true }).first()).toBeVisible();
  expect(await api("GET", `patients/${patient.id}/policies/${policy.id}`)).toMatchObject({ member_id: "TYPED-BEFORE" });
});

test("by keyboard: versioning is switched off again", async ({ page }) => {
  await signInByKeyboard(page, "admin");
  await press(page, page.getByRole("button", { name: /^Practice: .* Switch$/ }));
  await chooseByArrows(page, process.env.UI_PRACTICES ? SWITCHED : "Harborlight Pediatrics");
  await page.waitForURL(new RegExp(`/practices/${practice}`));
  await goByKeys(page, ",");
  await page.waitForURL(settings);
  await type(page, page.getByLabel("Reason").first(), "Not everyone is trained yet");
  await tabTo(page, turn(page, "off"));
  await page.keyboard.press("Enter");
  await expect(page.getByText("Insurance Versioning is off.", { exact: false })).toBeVisible();
  expect(await uploadCardByRank()).toBeLessThan(300);
});
