// The card of a new policy: chosen in the form, uploaded once the policy is saved, and kept if that fails.
import { expect, type FileChooser, type Page } from "@playwright/test";
import { findViolations } from "./support/axe";
import { api, type NewPatient, newPatient, practices } from "./support/demo";
import { holdScript } from "./support/held-scripts";
import { pdfCard, photo } from "./support/pictures";
import { takePicture, wantsPictures } from "./support/screens";
import { enterAs, test } from "./support/test";

const { enabled } = practices();

/** Opens the form of a new policy and enters its carrier. */
async function openForm(page: Page): Promise<NewPatient> {
  const patient = await newPatient(enabled);
  await enterAs(page, "staff");
  await page.goto(`/practices/${enabled}/patients/${patient.id}/policies/new`);
  await page.getByRole("combobox", { name: "Payer" }).click();
  await page.keyboard.type("Card First Health");
  await page.getByRole("option", { name: /as typed/ }).click();
  return patient;
}

type Files = Parameters<FileChooser["setFiles"]>[0];

async function choose(page: Page, side: "front" | "back", files: Files): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: `Add ${side}` }).click();
  await (await chooser).setFiles(files);
}

async function addCard(page: Page, side: "front" | "back", color: number): Promise<void> {
  await choose(page, side, await photo(`${side}.jpg`, color));
  await page.getByRole("dialog").getByRole("button", { name: "Use image" }).click();
  await expect(page.getByRole("button", { name: `Enlarge ${side}` })).toBeVisible();
}

async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    expect(await findViolations(page, colorScheme, "main")).toEqual([]);
    for (const width of wantsPictures ? [390, 1280] : []) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `${name}-${width}-${colorScheme}`, { fullPage: true });
    }
  }
}

const submit = (page: Page) => page.getByRole("button", { name: "Add policy" }).click();
const rejected = (page: Page) => page.getByRole("alert").filter({ hasText: "Image not added" });
const added = (page: Page) => page.getByRole("article", { name: /^Primary/ });

async function policiesOf(patient: NewPatient) {
  const { results } = await api("GET", `patients/${patient.id}/policies`);
  return results as { id: number; card_images: { image_rank: number }[] }[];
}

test("front and back are chosen in the form and uploaded with the policy", async ({ page }) => {
  const patient = await openForm(page);
  await addCard(page, "front", 40);
  await addCard(page, "back", 90);
  await inspect(page, "new-policy-cards");
  await expect(page.getByText("2 fields: Payer, Card images")).toBeVisible();
  await page.getByRole("link", { name: "Patients" }).first().click();
  const leave = page.getByRole("dialog");
  await expect(leave).toHaveCount(1);
  await leave.getByRole("button", { name: "Stay here" }).click();
  expect(await policiesOf(patient)).toEqual([]);
  await submit(page);
  await expect(added(page)).toBeVisible();
  await expect(added(page).getByRole("button", { name: /^View back/ })).toBeVisible();
  expect(await policiesOf(patient)).toMatchObject([{ card_images: [{ image_rank: 1 }, { image_rank: 2 }] }]);
});

test("the first page of a PDF becomes the card image", async ({ page }) => {
  const patient = await openForm(page);
  await choose(page, "front", pdfCard("card.pdf", 2));
  const editor = page.getByRole("dialog", { name: "Add card image: Front" });
  await expect(editor.getByRole("img", { name: "card.pdf, to be uploaded" })).toBeVisible();
  await expect(editor).toContainText("Page 1 of 2. The other pages of the PDF are not used.");
  await editor.getByRole("button", { name: "Use image" }).click();
  await submit(page);
  await expect(added(page)).toBeVisible();
  const [policy] = await policiesOf(patient);
  expect(await api("GET", `patients/${patient.id}/policies/${policy?.id}/card-images`)).toMatchObject([
    { image_rank: 1, content_type: "image/jpeg", width: 2400, height: 1500 },
  ]);
});

test("a removed picture is not uploaded, and one that is set aside keeps the form from being saved", async ({
  page,
}) => {
  const patient = await openForm(page);
  await addCard(page, "front", 40);
  await page.getByRole("button", { name: "Delete front" }).click();
  await choose(page, "back", await photo("back.jpg", 90));
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await submit(page);
  const notice = page.getByRole("status").filter({ hasText: "Continue or discard it before you add the policy." });
  await expect(notice).toBeInViewport();
  await expect(page.locator(":focus")).toContainText("back.jpg is not uploaded yet");
  expect(await policiesOf(patient)).toEqual([]);
  await page.getByRole("button", { name: "Discard image" }).click();
  await submit(page);
  await expect(added(page)).toBeVisible();
  expect(await policiesOf(patient)).toMatchObject([{ card_images: [] }]);
});

test("the policy is not saved while a file is opening, and files added in the meantime wait", async ({ page }) => {
  const patient = await openForm(page);
  const letGo = await holdScript(page, "PasswordException");
  await choose(page, "front", { ...pdfCard("damaged.pdf", 1), buffer: Buffer.from("%PDF-") });
  await choose(page, "back", await photo("back.jpg", 90));
  await submit(page);
  await expect(page.locator(":focus")).toContainText("Add the policy once the image is ready.");
  expect(await policiesOf(patient)).toEqual([]);
  letGo();
  await page.getByRole("dialog", { name: "Add card image: Back" }).getByRole("button", { name: "Use image" }).click();
  await expect(rejected(page)).toContainText("damaged.pdf can't be shown: it is damaged");
  await submit(page);
  await expect(added(page)).toBeVisible();
  expect(await policiesOf(patient)).toMatchObject([{ card_images: [{ image_rank: 2 }] }]);
});

test.describe("a PDF without a connection", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED/ });

  test("is rejected with the reason, and can be added again", async ({ page, context }) => {
    await openForm(page);
    await addCard(page, "back", 90);
    await context.setOffline(true);
    await choose(page, "front", pdfCard("card.pdf", 1));
    await expect(rejected(page)).toContainText("Couldn't load the PDF viewer. Check the connection");
    await context.setOffline(false);
    await choose(page, "front", pdfCard("card.pdf", 1));
    await expect(page.getByRole("dialog", { name: "Add card image: Front" })).toBeVisible();
  });
});

test.describe("an upload that fails", () => {
  test.use({ expectedErrors: /status of 503|ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 412/ });

  /** Adds a policy with two card images. The server rejects one of the uploads. */
  async function addWithFailure(page: Page, failing: number) {
    const patient = await openForm(page);
    await addCard(page, "front", 40);
    await addCard(page, "back", 90);
    let uploads = 0;
    await page.route("**/card-images", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      uploads += 1;
      if (uploads !== failing) return route.continue();
      return route.fulfill({ status: 503, json: { detail: "The server is busy." } });
    });
    await submit(page);
    return { patient, countUploads: () => uploads };
  }

  test("leaves the policy saved, says so, and is tried again without a second policy", async ({ page }) => {
    const { patient, countUploads } = await addWithFailure(page, 2);
    const problem = page.getByRole("alert").filter({ hasText: "The policy is saved, but the back of the card is not" });
    await expect(problem).toContainText("The server is busy. Your image is kept here.");
    expect(await policiesOf(patient)).toMatchObject([{ card_images: [{ image_rank: 1 }] }]);
    await inspect(page, "new-policy-upload-failed");
    await page.getByRole("link", { name: "Patients" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Stay here" }).click();
    await problem.getByRole("button", { name: "Try again" }).click();
    await expect(added(page)).toBeVisible();
    expect(await policiesOf(patient)).toMatchObject([{ card_images: [{ image_rank: 1 }, { image_rank: 2 }] }]);
    expect(countUploads()).toBe(3);
  });

  test("is skipped, and the next image is still uploaded", async ({ page }) => {
    const { patient } = await addWithFailure(page, 1);
    const problem = page
      .getByRole("alert")
      .filter({ hasText: "The policy is saved, but the front of the card is not" });
    await expect(problem).toBeVisible();
    await expect(page.locator(":focus")).toContainText("the front of the card is not");
    await problem.getByRole("button", { name: "Skip this image" }).click();
    await expect(added(page)).toBeVisible();
    expect(await policiesOf(patient)).toMatchObject([{ card_images: [{ image_rank: 2 }] }]);
  });

  test("is not repeated if it had arrived although its response was lost", async ({ page }) => {
    const patient = await openForm(page);
    await addCard(page, "front", 40);
    let isLost = false;
    await page.route("**/card-images", async (route) => {
      if (isLost || route.request().method() !== "POST") return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort("failed");
    });
    await submit(page);
    const problem = page
      .getByRole("alert")
      .filter({ hasText: "The policy is saved, but the front of the card is not" });
    await problem.getByRole("button", { name: "Try again" }).click();
    await expect(added(page)).toBeVisible();
    const [policy, ...others] = await policiesOf(patient);
    expect(others).toEqual([]);
    expect(policy?.card_images).toHaveLength(1);
    const { results } = await api("GET", `patients/${patient.id}/policies/${policy?.id}/versions`);
    expect(results).toHaveLength(2);
  });
});
