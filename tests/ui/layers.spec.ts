// Every layer above a page: axe in both themes, a picture of each, and the focus returns when it closes.
import { expect, type Page } from "@playwright/test";
import { findViolations } from "./support/axe";
import { api, newCardImage, newName, newPatient, newPolicy, practices } from "./support/demo";
import { createCheckedRun } from "./support/exports";
import { photo } from "./support/pictures";
import { takePicture, wantsPictures } from "./support/screens";
import { enterAs, test } from "./support/test";

test.describe.configure({ mode: "parallel" });
// An ended session and a conflict open layers, too.
test.use({ expectedErrors: /status of (401|412)/ });

const { enabled, disabled } = practices();
const practicePath = `/practices/${enabled}`;

interface Layer {
  name: string;
  path: string;
  open: (page: Page) => Promise<void>;
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const click = (name: string | RegExp) => (page: Page) => button(page, name).first().click();

async function layers(): Promise<Layer[]> {
  const patient = await newPatient(enabled);
  const primary = await newPolicy(patient);
  await newPolicy(patient, { carrier: "Beacon Mutual", rank: 2 });
  await newCardImage(patient, primary.id, 1);
  const former = await newPolicy(patient, { carrier: "Former Health", rank: 3 });
  await api("DELETE", `patients/${patient.id}/policies/${former.id}`);
  await newPolicy(patient, { carrier: "Follower Health", rank: 3 });
  const legacy = await newPatient(disabled);
  await newPolicy(legacy);
  const [event] = (await api("GET", "published_events?limit=1", { client: 1 })).results;
  const migration = `/practices/${disabled}/migration`;
  const run = `${migration}/${await createCheckedRun(disabled)}`;
  const sound = `${migration}/${await createCheckedRun(disabled, 0)}`;
  const home = `${practicePath}/patients/${patient.id}`;
  const policy = `${home}/policies/${primary.id}`;
  const archived = `${home}/policies/${former.id}`;
  const choose = (menu: RegExp, name: string) => async (page: Page) => {
    await button(page, menu).first().click();
    await page.getByRole("menuitem", { name }).click();
  };
  const act = (name: string) => choose(/^Actions for/, name);
  const subscriptions = `${practicePath}/events/subscriptions`;
  return [
    { name: "palette", path: practicePath, open: (page) => page.keyboard.press("ControlOrMeta+k") },
    { name: "shortcuts", path: `${practicePath}/migration`, open: (page) => page.keyboard.press("?") },
    { name: "help-menu", path: practicePath, open: click(/^Help/) },
    { name: "term", path: policy, open: click("Definition of “Group number”") },
    {
      name: "term-by-key",
      path: `${policy}/edit`,
      open: async (page) => {
        const field = page.getByLabel("Group number");
        // It can't have the focus before.
        await expect(field).toBeEnabled();
        await field.press("F1");
      },
    },
    { name: "account", path: practicePath, open: click(/^Account/) },
    { name: "practices", path: practicePath, open: click(/^Practice: /) },
    { name: "archive", path: policy, open: click("Archive policy") },
    { name: "restore", path: archived, open: click("Restore policy") },
    { name: "delete", path: archived, open: click("Delete permanently") },
    { name: "card-enlarged", path: policy, open: click("Enlarge front") },
    {
      name: "card-editor",
      path: policy,
      open: async (page) =>
        page
          .locator("input[type=file]")
          .first()
          .setInputFiles(await photo("front.jpg", 40)),
    },
    {
      name: "carriers",
      path: `${policy}/edit`,
      open: (page) => page.getByRole("combobox", { name: /^Payer/ }).click(),
    },
    {
      name: "leave",
      path: `${policy}/edit`,
      open: async (page) => {
        await page.getByLabel("Group number").fill("G-9");
        await page.getByRole("link", { name: "Cancel" }).click();
      },
    },
    {
      name: "conflict",
      path: `${policy}/edit`,
      open: async (page) => {
        await page.getByLabel("Group number").fill("G-9");
        await api("PATCH", `patients/${patient.id}/policies/${primary.id}`, { body: { group_id: newName() } });
        await button(page, "Save changes").click();
      },
    },
    {
      name: "session-ended",
      path: policy,
      open: async (page) => {
        await page.context().clearCookies();
        await click(/^Verify (again|eligibility) for /)(page);
      },
    },
    {
      name: "eligibility",
      path: policy,
      open: async (page) => {
        await click(/^Verify (again|eligibility) for /)(page);
        await click(/^Eligibility details of/)(page);
      },
    },
    { name: "note", path: policy, open: click("Add note") },
    {
      name: "legacy-review",
      path: `/practices/${disabled}/patients/${legacy.id}`,
      open: async (page) => {
        await page.getByLabel("Group number").fill("G-9");
        await button(page, "Review and save").click();
      },
    },
    { name: "migration-accept", path: `${run}/findings`, open: click("Accept all matching fixes") },
    { name: "migration-leave-out", path: `${run}/findings`, open: click("Skip all matching") },
    {
      name: "migration-assign",
      path: `${run}/findings`,
      open: async (page) => {
        await page.getByRole("checkbox").nth(1).check();
        await button(page, "Assign").click();
      },
    },
    { name: "migration-correct", path: `${run}/findings`, open: click(/^Correct “/) },
    { name: "migration-cancel", path: sound, open: click("Cancel run") },
    { name: "migration-convert", path: `${sound}?step=convert`, open: click(/^Convert \d/) },
    { name: "migration-sign-off", path: `/practices/${disabled}/migration/readiness`, open: click("Sign off") },
    { name: "report", path: `${practicePath}/events/${event.event_id}`, open: click("Mark as processed") },
    { name: "retry", path: `${practicePath}/events`, open: click(/^Send all/) },
    { name: "subscription-menu", path: subscriptions, open: click(/^More actions/) },
    { name: "test-event", path: subscriptions, open: choose(/^More actions/, "Send test event") },
    { name: "replay", path: subscriptions, open: choose(/^More actions/, "Replay events") },
    { name: "signing-secret", path: subscriptions, open: choose(/^More actions/, "Rotate signing secret") },
    { name: "member", path: `${practicePath}/settings/members`, open: click("Add member") },
    { name: "member-menu", path: `${practicePath}/settings/members`, open: click(/^Actions for/) },
    { name: "member-disable", path: `${practicePath}/settings/members`, open: act("Disable account") },
    { name: "member-remove", path: `${practicePath}/settings/members`, open: act("Remove from practice") },
    { name: "member-password", path: `${practicePath}/settings/members`, open: act("Reset password") },
    { name: "client", path: `${practicePath}/settings/clients`, open: click("Register client") },
    { name: "client-change", path: `${practicePath}/settings/clients`, open: act("Edit client") },
    { name: "client-disable", path: `${practicePath}/settings/clients`, open: act("Disable client") },
    { name: "client-remove", path: `${practicePath}/settings/clients`, open: act("Remove access to this practice") },
    { name: "client-rotate", path: `${practicePath}/settings/clients`, open: act("Rotate secret") },
    {
      name: "audit-entry",
      path: `${practicePath}/settings/audit`,
      open: async (page) => {
        await page.getByRole("table").locator("tbody tr").first().focus();
        await page.keyboard.press("Enter");
      },
    },
  ];
}

const LAYER = "[role=dialog], [role=menu]";
const layer = (page: Page) => page.locator(LAYER).last();

async function takeLayerPictures(page: Page, name: string, colorScheme: "light" | "dark"): Promise<void> {
  for (const [width, height] of [
    [390, 844],
    [1280, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await takePicture(page, `layer-${name}-${width}-${colorScheme}`);
  }
}

let all: Layer[];
test.beforeAll(async () => {
  test.setTimeout(300_000);
  all = await layers();
});

// In two halves, so that no worker waits for the other at the end of the suite.
for (const half of [0, 1]) {
  test(`axe finds no violation in any layer, and Escape returns the focus (half ${half + 1})`, ({ page }) =>
    lookAt(
      page,
      all.filter((_, at) => at % 2 === half),
    ));
}

async function lookAt(page: Page, chosen: readonly Layer[]): Promise<void> {
  test.setTimeout(300_000);
  // From the first layer on, because a layer that is fading in has no contrast yet.
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const { name, path, open } of chosen) {
    await test.step(name, async () => {
      if ((await page.context().cookies()).length === 0) await enterAs(page, "admin");
      await page.goto(path);
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await open(page);
      await expect(layer(page)).toBeVisible();
      await expect(layer(page).locator("[aria-busy=true]")).toHaveCount(0);
      // Enter must not close a dialog that has just asked something.
      if ((await layer(page).locator("footer").count()) > 0)
        await expect.soft(layer(page).locator(":focus"), name).not.toHaveAccessibleName("Close");
      for (const colorScheme of ["light", "dark"] as const) {
        // all-pages.spec.ts tests the page behind it.
        const found = await findViolations(page, colorScheme, LAYER);
        expect.soft(found, `${name}, ${colorScheme}`).toEqual([]);
        if (wantsPictures) await takeLayerPictures(page, name, colorScheme);
      }
      await page.keyboard.press("Escape");
      await expect(layer(page)).toHaveCount(0);
      const focused = () => page.evaluate(() => document.activeElement?.tagName);
      await expect.poll(focused, `${name}: the focus after it closes`).not.toBe("BODY");
    });
  }
}
