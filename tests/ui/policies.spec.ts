// Job 1: viewing a patient's policies and their history, and correcting them.
import { expect, type Page } from "@playwright/test";
import { accountOf, api, type NewPatient, newPatient, newPolicy, practices, staffGet } from "./support/demo";
import { openWithoutScript } from "./support/held-scripts";
import { press, tabTo, type } from "./support/keyboard";
import { endSessionElsewhere, enterAs, goByKeys, signIn, signInByKeyboard, test } from "./support/test";

const { enabled } = practices();

const policiesPath = (patient: NewPatient, policy: number) => `patients/${patient.id}/policies/${policy}`;
const pagePath = (patient: NewPatient, ...rest: (string | number)[]) =>
  ["", "practices", enabled, "patients", patient.id, ...rest].join("/");

/** Creates a policy that two clients have changed: versions 1 to 3. */
async function createChangedPolicy() {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient, { member_id: "ACM-100" });
  await api("PATCH", policiesPath(patient, id), { body: { member_id: "ACM-200" } });
  const headers = { "x-change-reason": "Group moved" };
  await api("PATCH", policiesPath(patient, id), { body: { group_id: "G-77" }, headers });
  return { patient, id };
}

const history = (page: Page) => page.getByRole("listbox");
const saved = (page: Page) => page.getByText("Policy saved", { exact: true }).first();

test("a patient is found, the history shows who changed what, and an edit is visible in the API", async ({ page }) => {
  const { patient, id } = await createChangedPolicy();
  await signIn(page, "staff");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Patients" }).click();
  await page.getByRole("searchbox", { name: "Search patients" }).fill(patient.lastName);
  await page.getByRole("link", { name: patient.shownName }).click();
  const card = page.getByRole("article", { name: /^Primary: Acme Health/ });
  await expect(card).toContainText("ACM-200");
  await card.getByRole("link", { name: "Acme Health", exact: true }).click();

  await expect(history(page).getByRole("option")).toHaveCount(3);
  await history(page).getByRole("option").nth(1).click();
  const difference = page.getByRole("row", { name: /Member ID/ });
  await expect(difference.locator("del")).toContainText("100");
  await expect(difference.locator("ins")).toContainText("200");

  await page.getByRole("link", { name: "Edit policy" }).click();
  await page.getByLabel("Member ID", { exact: true }).fill("ACM-300");
  await page.getByLabel("Copay").fill("25");
  await page.getByLabel("Reason").fill("Read from the new card");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(saved(page)).toBeVisible();
  await expect(history(page).getByRole("option")).toHaveCount(4);

  const policy = await api("GET", policiesPath(patient, id));
  expect(policy).toMatchObject({ member_id: "ACM-300", copay: "25.00", group_id: "G-77", version: 4 });
  const versions = (await api("GET", `${policiesPath(patient, id)}/versions`)).results;
  expect(versions.at(-1)).toMatchObject({ version: 4, reason: "Read from the new card", source: "staff" });
  const legacy = (await api("GET", `patients/${patient.id}`)).insurances;
  expect(legacy).toMatchObject([{ rank: "primary", member_id: "ACM-300", copay: "25.00" }]);
});

test("by keyboard: the same steps with the palette and the arrow keys", async ({ page }) => {
  const { patient, id } = await createChangedPolicy();
  await signInByKeyboard(page, "staff");
  await goByKeys(page, "p");
  await type(page, page.getByRole("searchbox", { name: "Search patients" }), patient.lastName);
  await expect(page.getByRole("row")).toHaveCount(2);
  await press(page, page.getByRole("table", { name: "Patients" }).locator("tbody tr"));
  await press(
    page,
    page.getByRole("article", { name: /^Primary/ }).getByRole("link", { name: "Acme Health", exact: true }),
  );

  await tabTo(page, history(page));
  await page.keyboard.press("ArrowDown");
  const difference = page.getByRole("row", { name: /Member ID/ });
  await expect(difference.locator("ins")).toContainText("200");
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/version=1/);
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/with=3/);

  await press(page, page.getByRole("link", { name: "Edit policy" }), "Enter", { back: true });
  await type(page, page.getByLabel("Member ID", { exact: true }), "ACM-301");
  await page.keyboard.press("ControlOrMeta+S");
  await expect(saved(page)).toBeVisible();
  expect(await api("GET", policiesPath(patient, id))).toMatchObject({ member_id: "ACM-301", version: 4 });
});

test("by keyboard: ranks are swapped, with a preview of the effect", async ({ page }) => {
  const patient = await newPatient(enabled);
  const first = await newPolicy(patient, { carrier: "Acme Health", rank: 1 });
  const second = await newPolicy(patient, { carrier: "Beacon Mutual", rank: 2 });
  await enterAs(page, "staff");
  await page.goto(pagePath(patient));
  await press(page, page.getByRole("button", { name: "Change order" }));
  await press(page, page.getByRole("button", { name: /^Move Beacon Mutual.* up$/ }));
  await expect(page.getByText("Saving changes the rank of 2 policies")).toBeVisible();
  await press(page, page.getByRole("button", { name: /^Save/ }));
  await expect(page.getByText("New order saved").first()).toBeVisible();
  const policies = (await api("GET", `patients/${patient.id}/policies`)).results;
  const ranks = Object.fromEntries(policies.map((policy: { id: number; rank: number }) => [policy.id, policy.rank]));
  expect(ranks).toEqual({ [first.id]: 2, [second.id]: 1 });
});

test("a policy is added, archived with a reason and restored by undo", async ({ page }) => {
  const patient = await newPatient(enabled);
  await enterAs(page, "staff");
  await page.goto(pagePath(patient));
  await page.getByRole("link", { name: "Add policy" }).first().click();
  await page.getByRole("button", { name: "Add policy" }).click();
  await expect(page.getByText("Select a payer, or type its name.", { exact: true })).toBeVisible();
  await page.getByRole("combobox", { name: "Payer" }).click();
  await page.keyboard.type("Beacon Mutual of Testing");
  await page.getByRole("option", { name: /as typed/ }).click();
  await page.getByLabel("Member ID", { exact: true }).fill("BM-1");
  await page.getByRole("button", { name: "Add policy" }).click();
  await expect(page.getByText("Beacon Mutual of Testing added").first()).toBeVisible();
  await expect(page).toHaveURL(pagePath(patient));
  await page.getByRole("article").getByRole("link", { name: "Beacon Mutual of Testing", exact: true }).click();

  await page.getByRole("button", { name: "Archive policy" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("Coverage ended");
  await dialog.getByRole("button", { name: "Archive policy" }).click();
  await expect(page.getByRole("button", { name: "Restore policy" })).toBeVisible();
  const [archived] = (await api("GET", `patients/${patient.id}/policies?status=archived`)).results;
  expect(archived).toMatchObject({ carrier: "Beacon Mutual of Testing", member_id: "BM-1", status: "archived" });
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: "Archive policy" })).toBeVisible();
  expect(await api("GET", policiesPath(patient, archived.id))).toMatchObject({ status: "active", rank: 1 });
});

test("Enter in the list of payers keeps the payer unless a search was typed", async ({ page }) => {
  const patient = await newPatient(enabled);
  const policy = await newPolicy(patient, { carrier: "Entered Health" });
  await enterAs(page, "staff");
  await page.goto(pagePath(patient, "policies", policy.id, "edit"));
  const payer = page.getByRole("combobox", { name: "Payer" }).first();
  await payer.click();
  await expect(page.getByRole("option", { name: /^Clear/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect(payer).toHaveText("Entered Health");
});

test("holding Ctrl S adds one policy", async ({ page }) => {
  const patient = await newPatient(enabled);
  await enterAs(page, "staff");
  await page.goto(pagePath(patient, "policies", "new"));
  await page.getByRole("combobox", { name: "Payer" }).click();
  await page.keyboard.type("Once Only Health");
  await page.getByRole("option", { name: /as typed/ }).click();
  await page.keyboard.down("Control");
  for (let turn = 0; turn < 6; turn++) await page.keyboard.down("s");
  await page.keyboard.up("s");
  await page.keyboard.press("s");
  await page.keyboard.up("Control");
  await expect(page.getByRole("article", { name: /^Primary: Once Only Health/ })).toBeVisible();
  const policies = (await api("GET", `patients/${patient.id}/policies`)).results;
  expect(policies).toMatchObject([{ carrier: "Once Only Health", status: "active", version: 1 }]);
});

test("text typed before the list has loaded is searched for, including spaces", async ({ page }) => {
  const patient = await newPatient(enabled);
  await enterAs(page, "staff");
  const letGo = await openWithoutScript(page, pagePath(patient, "policies", "new"), "Type to search");
  const carrier = page.getByRole("combobox", { name: "Payer" });
  await expect(carrier).toBeEnabled();
  await carrier.focus();
  await page.keyboard.type("Late but k");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("whole");
  await expect(page.getByPlaceholder("Type to search")).toHaveCount(0);
  letGo();
  await expect(page.getByPlaceholder("Type to search")).toHaveValue("Late but whole");
  await page.keyboard.type(" Health");
  await page.getByRole("option", { name: /as typed/ }).click();
  await expect(carrier).toContainText("Late but whole Health");
});

test("Enter waits for the results of what was typed, and a click picks what is shown", async ({ page }) => {
  const patient = await newPatient(enabled);
  await enterAs(page, "staff");
  let letGo = () => {};
  const seen = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/\/insurers\?search=[UQ]/, async (route) => {
    await seen;
    await route.continue();
  });
  await page.goto(pagePath(patient, "policies", "new"));
  const carrier = page.getByRole("combobox", { name: "Payer", exact: true });
  const choices = page.getByRole("dialog", { name: "Payer" }).getByRole("option");
  await carrier.click();
  await expect(choices.first()).toBeVisible();
  await page.keyboard.type("Q");
  await choices.filter({ hasText: "Medicare" }).first().click();
  await expect(carrier).toContainText("Medicare");

  await carrier.click();
  await expect(choices.first()).toBeVisible();
  await page.keyboard.type("Unheard of Health");
  await page.keyboard.press("Enter");
  await expect(page.getByPlaceholder("Type to search")).toHaveValue("Unheard of Health");
  await expect(page.getByRole("option", { name: /as typed/ })).toHaveCount(0);
  await expect(carrier).toContainText("Medicare");
  letGo();
  await expect(carrier).toContainText("Unheard of Health");
});

test.describe("a rank that was taken in the meantime", () => {
  test.use({ expectedErrors: /status of 412/ });

  test("is not taken from a policy that the user has not seen", async ({ page }) => {
    const patient = await newPatient(enabled);
    await enterAs(page, "staff");
    await page.goto(pagePath(patient, "policies", "new"));
    await page.getByRole("combobox", { name: "Payer" }).click();
    await page.keyboard.type("Latecomer Health");
    await page.getByRole("option", { name: /as typed/ }).click();
    const first = await newPolicy(patient, { carrier: "First Health" });
    await page.getByRole("button", { name: "Add policy" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "First Health" }).first()).toBeVisible();
    expect(await api("GET", policiesPath(patient, first.id))).toMatchObject({ status: "active", rank: 1 });
    await page.getByRole("button", { name: /^Add and move First Health.* to secondary$/ }).click();
    await expect(page.getByRole("article", { name: /^Primary: Latecomer Health/ })).toBeVisible();
    const policies = (await api("GET", `patients/${patient.id}/policies?status=active`)).results;
    expect(policies).toMatchObject([
      { carrier: "Latecomer Health", rank: 1 },
      { carrier: "First Health", rank: 2 },
    ]);
  });
});

test.describe("a stale edit", () => {
  test.use({ expectedErrors: /status of 412/ });

  test("shows both versions and saves the user's choice", async ({ page }) => {
    const { patient, id } = await createChangedPolicy();
    await enterAs(page, "staff");
    await page.goto(pagePath(patient, "policies", id, "edit"));
    await page.getByLabel("Member ID", { exact: true }).fill("MINE");
    await page.getByLabel("Copay").fill("30");
    await api("PATCH", policiesPath(patient, id), { body: { member_id: "THEIRS", group_id: "G-THEIRS" } });
    await page.getByRole("button", { name: "Save changes" }).click();

    const dialog = page.getByRole("dialog", { name: "This policy was updated by someone else" });
    await expect(dialog.getByRole("status")).toHaveText("1 field to decide");
    const member = dialog.getByRole("group", { name: /^Member ID: you both changed it \(was ACM-200/ });
    await expect(member).toContainText("THEIRS");
    await expect(dialog.getByRole("button", { name: "Save changes" })).toBeDisabled();
    await member.getByRole("radio", { name: /^Mine/ }).check();
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(saved(page)).toBeVisible();
    const policy = await api("GET", policiesPath(patient, id));
    expect(policy).toMatchObject({ member_id: "MINE", copay: "30.00", group_id: "G-THEIRS", version: 5 });
  });
});

test.describe("a session that ends in the middle of a form", () => {
  test.use({ expectedErrors: /status of 401/ });

  test("resumes after signing in: no input is lost, and it is saved once", async ({ page }) => {
    const { patient, id } = await createChangedPolicy();
    await enterAs(page, "staff", { alone: true });
    await page.goto(pagePath(patient, "policies", id, "edit"));
    await page.getByLabel("Member ID", { exact: true }).fill("KEPT-1");
    await page.getByLabel("Reason").fill("Confirmed by phone");
    await endSessionElsewhere(page);
    await page.getByRole("button", { name: "Save changes" }).click();

    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill("not the password");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await expect(dialog.getByRole("alert")).toBeVisible();
    expect(await api("GET", policiesPath(patient, id))).toMatchObject({ member_id: "ACM-200", version: 3 });
    await dialog.getByLabel("Password").fill(accountOf("staff").password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await expect(saved(page)).toBeVisible();
    expect(await api("GET", policiesPath(patient, id))).toMatchObject({ member_id: "KEPT-1", version: 4 });
  });
});

test.describe("a lost connection", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED/ });

  test("keeps a form until it can be saved", async ({ page, context }) => {
    const { patient, id } = await createChangedPolicy();
    await enterAs(page, "staff");
    await page.goto(pagePath(patient, "policies", id, "edit"));
    await page.getByLabel("Member ID", { exact: true }).fill("LATER-1");
    await context.setOffline(true);
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(
      page.getByRole("alert").filter({ hasText: "We couldn't confirm that your change was saved" }),
    ).toBeVisible();
    await expect(page.getByLabel("Member ID", { exact: true })).toHaveValue("LATER-1");
    await context.setOffline(false);
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(saved(page)).toBeVisible();
    expect(await api("GET", policiesPath(patient, id))).toMatchObject({ member_id: "LATER-1", version: 4 });
  });
});

test("viewers see everything, but have no actions that change it", async ({ page }) => {
  const { patient, id } = await createChangedPolicy();
  await enterAs(page, "viewer");
  for (const path of [pagePath(patient), pagePath(patient, "policies", id)]) {
    await page.goto(path);
    await expect(page.getByText("Acme Health").first()).toBeVisible();
    const acts = /^(Add|Archive|Edit|Restore|Change order|Delete|Replace)/;
    await expect(page.getByRole("main").getByRole("button", { name: acts })).toHaveCount(0);
    await expect(page.getByRole("main").getByRole("link", { name: acts })).toHaveCount(0);
  }
});

test("a sync event shows its fields in the order of the policy's page, then the others", async ({ page }) => {
  const patient = await newPatient(enabled);
  await newPolicy(patient, { carrier: "Acme Health", plan: "Gold PPO", member_id: "ACM-1", copay: "25" });
  const [event] = (await staffGet(`practices/${enabled}/stream?limit=1&patient=${patient.id}`)).results;
  await enterAs(page, "admin");
  await page.goto(`/practices/${enabled}/stream/${event?.id}`);
  const labels = page.getByRole("region", { name: "Changes" }).locator("dt");
  const shown = ["Status", "Rank", "Payer", "Plan", "Member ID", "Copay", "ID", "Created", "Modified"];
  await expect(labels.filter({ hasText: new RegExp(`^(${shown.join("|")})$`) })).toHaveText(shown);
});
