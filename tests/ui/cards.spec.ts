// Job 3: uploading card images.
import { createHash } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { api, type NewPatient, newPatient, newPolicy, practices } from "./support/demo";
import { press } from "./support/keyboard";
import { photo } from "./support/pictures";
import { enterAs, signIn, signInByKeyboard, test } from "./support/test";

const { enabled, disabled } = practices();

async function patientWithPolicy() {
  const patient = await newPatient(enabled);
  const { id } = await newPolicy(patient);
  return { patient, id, path: `/practices/${enabled}/patients/${patient.id}/policies/${id}` };
}

/** Chooses a file in the browser's file dialog, however it was opened. */
async function choose(page: Page, open: () => Promise<void>, file: Awaited<ReturnType<typeof photo>>) {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), open()]);
  await chooser.setFiles(file);
}

const images = async (patient: NewPatient, policy: number) =>
  (await api("GET", `patients/${patient.id}/policies/${policy}/card-images`)) as {
    image_rank: number;
    content_type: string;
    sha256: string;
    width: number;
    height: number;
  }[];

test.describe("each place separately", () => {
  // A user who is faster than the page's next read acts on an older version: the page checks, and continues if the
  // place is unchanged. The browser logs the rejection anyway.
  test.use({ expectedErrors: /status of 412 .*card-images/ });

  test("front and back are uploaded, rotated, replaced and deleted, and the API has what was sent", async ({
    page,
  }) => {
    const { patient, id, path } = await patientWithPolicy();
    await signIn(page, "staff");
    await page.goto(path);
    const front = page.getByRole("listitem", { name: "Card front" });
    const back = page.getByRole("listitem", { name: "Card back" });

    await choose(page, () => front.getByRole("button", { name: "Add front" }).click(), await photo("front.jpg", 20));
    const editor = page.getByRole("dialog", { name: "Add card image: Front" });
    await expect(editor.getByRole("img", { name: "front.jpg, to be uploaded" })).toBeVisible();
    await editor.getByRole("button", { name: "Upload image" }).click();
    await expect(editor).toBeHidden();
    await expect(front.getByRole("button", { name: "Enlarge front" })).toBeVisible();

    await choose(page, () => back.getByRole("button", { name: "Add back" }).click(), await photo("back.jpg", 90));
    const second = page.getByRole("dialog", { name: "Add card image: Back" });
    await second.getByRole("button", { name: "Rotate right" }).click();
    await second.getByRole("button", { name: "Upload image" }).click();
    await expect(second).toBeHidden();

    await expect.poll(() => images(patient, id)).toHaveLength(2);
    const [one, two] = await images(patient, id);
    expect(one).toMatchObject({ image_rank: 1, content_type: "image/jpeg", width: 640, height: 400 });
    expect(two).toMatchObject({ image_rank: 2, content_type: "image/jpeg", width: 400, height: 640 });

    await choose(page, () => front.getByRole("button", { name: "Replace front" }).click(), await photo("new.jpg", 200));
    // Pressing Enter must not overwrite an image.
    await expect(page.getByRole("dialog").getByRole("button", { name: "Cancel" })).toBeFocused();
    await page.getByRole("dialog").getByRole("button", { name: "Replace image" }).click();
    await expect(page.getByText("Front replaced").first()).toBeVisible();
    const [replaced] = await images(patient, id);
    expect(replaced?.sha256).not.toBe(one?.sha256);

    await back.getByRole("button", { name: "Delete back" }).click();
    await expect(page.getByText("Back deleted").first()).toBeVisible();
    expect(await images(patient, id)).toHaveLength(1);
    // The page shows the back until it has read the policy again.
    await expect(back.getByRole("button", { name: "Add back" })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect(back.getByRole("button", { name: "Enlarge back" })).toBeVisible();
    expect((await images(patient, id)).map(({ sha256 }) => sha256)).toEqual([replaced?.sha256, two?.sha256]);
    const legacy = await api("GET", `patients/${patient.id}/insurance_cards`);
    expect(legacy).toMatchObject([{ rank: 1, images: [{ side: 1 }, { side: 2 }] }]);
  });
});

test("by keyboard: a picture is chosen, rotated and uploaded, then enlarged", async ({ page }) => {
  const { patient, id, path } = await patientWithPolicy();
  await signInByKeyboard(page, "staff");
  await page.goto(path);
  await choose(page, () => press(page, page.getByRole("button", { name: "Add front" })), await photo("front.jpg", 30));
  const editor = page.getByRole("dialog", { name: "Add card image: Front" });
  await expect(editor).toBeVisible();
  await expect(editor.getByRole("button", { name: "Upload image" })).toBeFocused();
  await press(page, editor.getByRole("button", { name: "Rotate left" }));
  await press(page, editor.getByRole("button", { name: "Upload image" }));
  await expect(editor).toBeHidden();
  const enlarge = page.getByRole("listitem", { name: "Card front" }).getByRole("button", { name: "Enlarge front" });
  await press(page, enlarge);
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(enlarge).toBeFocused();
  expect(await images(patient, id)).toMatchObject([{ image_rank: 1, width: 400, height: 640 }]);
});

test("a file that is too large or not an image is rejected with a message before anything is sent", async ({
  page,
}) => {
  const { patient, id, path } = await patientWithPolicy();
  await enterAs(page, "staff");
  await page.goto(path);
  const add = page.getByRole("button", { name: "Add front" });
  const rejected = page.getByRole("alert").filter({ hasText: "Image not added" });
  const text = { name: "card.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no picture at all") };
  await choose(page, () => add.click(), text);
  await expect(rejected).toContainText(/JPEG, PNG or PDF/);
  await choose(page, () => add.click(), {
    name: "card.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.from("%PDF-"),
  });
  await expect(rejected).toContainText("damaged or needs a password");
  expect(await images(patient, id)).toEqual([]);
});

test.describe("a lost connection during an upload", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED/ });

  test("keeps the picture and sends it when the connection is back", async ({ page, context }) => {
    const { patient, id, path } = await patientWithPolicy();
    await enterAs(page, "staff");
    await page.goto(path);
    await choose(page, () => page.getByRole("button", { name: "Add front" }).click(), await photo("front.jpg", 60));
    // Lost while the bytes are sent: the request was made and got no response.
    await page.route("**/card-images", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await context.setOffline(true);
      return route.abort("internetdisconnected");
    });
    const editor = page.getByRole("dialog", { name: "Add card image: Front" });
    await editor.getByRole("button", { name: "Upload image" }).click();
    await expect(editor.getByRole("alert")).toContainText("Your image is kept here");
    await expect(editor.getByRole("img", { name: "front.jpg, to be uploaded" })).toBeVisible();
    expect(await images(patient, id)).toEqual([]);
    await page.unroute("**/card-images");
    await context.setOffline(false);
    await expect(page.getByText("Front added").first()).toBeVisible();
    expect(await images(patient, id)).toHaveLength(1);
  });
});

test("with Insurance Versioning off, a card is uploaded, replaced and removed by rank, and restored by undo", async ({
  page,
}) => {
  const patient = await newPatient(disabled);
  await newPolicy(patient);
  await enterAs(page, "staff");
  await page.goto(`/practices/${disabled}/patients/${patient.id}`);
  const hashes = async () => {
    const cards: { images: { url: string }[] }[] = await api("GET", `patients/${patient.id}/insurance_cards`);
    const contents = cards.flatMap((card) =>
      card.images.map(({ url }) => fetch(url).then((image) => image.arrayBuffer())),
    );
    return (await Promise.all(contents)).map((bytes) => createHash("sha256").update(Buffer.from(bytes)).digest("hex"));
  };
  const press = (name: string) => () => page.getByRole("button", { name }).click();

  await choose(page, press("Upload front of the primary card"), await photo("front.jpg", 60));
  await page.getByRole("dialog").getByRole("button", { name: "Rotate right" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Upload image" }).click();
  await expect(page.getByRole("button", { name: "View front of the primary card" })).toBeVisible();
  const [first] = await hashes();
  await choose(page, press("Replace front of the primary card"), await photo("new.jpg", 220));
  await page.getByRole("dialog").getByRole("button", { name: "Replace image" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect.poll(hashes).not.toEqual([first]);
  const [second] = await hashes();
  await press("Delete front of the primary card")();
  await expect(page.getByText("Front of the primary card deleted").first()).toBeVisible();
  expect(await hashes()).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect.poll(hashes).toEqual([second]);
});

test.describe("a picture that was set aside", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED/ });

  test("is not uploaded automatically when the connection is back, and the page asks before it closes", async ({
    page,
    context,
  }) => {
    const { patient, id, path } = await patientWithPolicy();
    await enterAs(page, "staff");
    await page.goto(path);
    await choose(page, () => page.getByRole("button", { name: "Add front" }).click(), await photo("front.jpg", 30));
    const editor = page.getByRole("dialog", { name: "Add card image: Front" });
    const upload = editor.getByRole("button", { name: "Upload image" });
    await expect(upload).toBeVisible();
    await context.setOffline(true);
    await upload.click();
    await expect(editor.getByRole("alert")).toBeVisible();
    await editor.getByRole("button", { name: "Cancel" }).click();
    await context.setOffline(false);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Patients" }).click();
    const leave = page.getByRole("dialog", { name: "Leave without saving?" });
    await leave.getByRole("button", { name: "Stay here" }).click();
    expect(await images(patient, id)).toEqual([]);
  });
});

test.describe("a network error while part of the page loads", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED/ });

  test("delays the page without breaking it: the choice is shown when the part arrives", async ({ page }) => {
    const { patient, id, path } = await patientWithPolicy();
    await enterAs(page, "staff");
    const firstLoad = await (await page.request.get(path)).text();
    const failed = new Set<string>();
    await page.route("**/_next/static/chunks/*.js", async (route) => {
      const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
      if (firstLoad.includes(name) || failed.has(name)) return route.continue();
      failed.add(name);
      return route.abort("internetdisconnected");
    });
    await page.goto(path);
    await choose(page, () => page.getByRole("button", { name: "Add front" }).click(), await photo("front.jpg", 30));
    const editor = page.getByRole("dialog", { name: "Add card image: Front" });
    await editor.getByRole("button", { name: "Upload image" }).click();
    await expect(editor).toBeHidden();
    expect(failed.size).toBeGreaterThan(1);
    expect(await images(patient, id)).toHaveLength(1);
  });
});
