// Job 4: reviewing published events: marking one as processed, redelivering one or many.
import { expect, type Page } from "@playwright/test";
import { practices } from "./support/demo";
import { press, tabTo, type } from "./support/keyboard";
import { type PublishedEvent, type Receiver, startReceiver } from "./support/receiver";
import { enterAs, goByKeys, signIn, signInByKeyboard, test } from "./support/test";

const { enabled } = practices();
const listOf = ({ name }: Receiver) => `/practices/${enabled}/events?target=${name}`;
/** The number of events that a dialog redelivers with one call. */
const BATCH_SIZE = 25;
const rows = (page: Page) => page.getByRole("table", { name: "Published events" }).locator("tbody tr");

let receiver: Receiver;
test.afterEach(() => receiver?.stop());

async function eventNow({ event_id }: PublishedEvent): Promise<PublishedEvent> {
  const found = (await receiver.events()).find((event) => event.event_id === event_id);
  if (!found) throw new Error(`no event ${event_id}`);
  return found;
}

/** Creates events that their client has rejected once, and waits for the result. */
async function createRejected(many: number): Promise<PublishedEvent[]> {
  receiver = await startReceiver(enabled, many);
  const rejected = async () => (await receiver.events()).filter(({ status_code }) => status_code === 500).length;
  await expect.poll(rejected, { timeout: 30_000 }).toBe(many);
  return receiver.events();
}

const createRejectedEvents = async () => (await createRejected(3)) as [PublishedEvent, PublishedEvent, PublishedEvent];

test("events are filtered, one is marked as processed, another is redelivered", async ({ page }) => {
  const [one, two] = await createRejectedEvents();
  await signIn(page, "admin");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Events" }).click();
  await page.getByRole("searchbox", { name: "Endpoint contains" }).fill(receiver.name);
  await expect(rows(page)).toHaveCount(3);
  await expect(page).toHaveURL(new RegExp(`target=${receiver.name}`));

  await page.getByRole("link", { name: String(one.event_id), exact: true }).click();
  await expect(page.getByRole("region", { name: "Attempts" }).getByRole("row").nth(1)).toContainText("500");
  await page.getByRole("button", { name: "Mark as processed" }).click();
  const report = page.getByRole("dialog");
  await report.getByLabel("Status code").fill("204");
  await report.getByLabel("Reason").fill("Done by hand");
  await report.getByRole("button", { name: "Save result" }).click();
  await expect(report).toBeHidden();
  expect(await eventNow(one)).toMatchObject({
    processed_date: expect.any(String),
    status_code: 204,
    error_content: null,
  });

  receiver.respondWith(200);
  const before = receiver.timesOf(two);
  await page.goto(`/practices/${enabled}/events/${two.event_id}`);
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send 1 event again" }).click();
  await expect(page.getByRole("dialog")).toContainText("1 of 1 sent again");
  await expect.poll(() => receiver.timesOf(two)).toBeGreaterThan(before);
  await expect.poll(async () => (await eventNow(two)).status_code).toBe(200);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByText(/^Processed/).first()).toBeVisible();

  // What its client rejects can be sent again.
  await page.getByRole("button", { name: "Mark as processed" }).click();
  await report.getByLabel("Error").fill("No such patient");
  await report.getByRole("button", { name: "Save result" }).click();
  await expect(page.getByText("Rejected by client")).toBeVisible();
  const earlier = receiver.timesOf(two);
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send 1 event again" }).click();
  await expect.poll(() => receiver.timesOf(two)).toBeGreaterThan(earlier);
});

test("by keyboard: a row is selected and redelivered, another is marked as processed", async ({ page }) => {
  const [one, two, three] = await createRejectedEvents();
  await signInByKeyboard(page, "admin");
  await goByKeys(page, "e");
  await type(page, page.getByRole("searchbox", { name: "Endpoint contains" }), receiver.name);
  await expect(rows(page)).toHaveCount(3);
  receiver.respondWith(200);
  const before = receiver.timesOf(two);
  await tabTo(page, rows(page).first());
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(page.getByRole("region", { name: "Selected events" })).toContainText("1 event selected");
  await press(page, page.getByRole("button", { name: "Send selected again" }));
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Send 1 event again" }));
  await expect(page.getByRole("dialog")).toContainText("1 of 1 sent again");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect.poll(() => receiver.timesOf(two)).toBeGreaterThan(before);

  await tabTo(page, rows(page).first(), { back: true });
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/events/${one.event_id}$`));
  await press(page, page.getByRole("button", { name: "Mark as processed" }));
  await type(page, page.getByRole("dialog").getByLabel("Status code"), "202");
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Save result" }));
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await eventNow(one)).toMatchObject({ status_code: 202 });
  expect(three.event_id).not.toBe(one.event_id);
});

test.describe("a lost connection during a bulk retry", () => {
  test.use({ expectedErrors: /ERR_INTERNET_DISCONNECTED/ });

  test("keeps the results so far, and the rest can continue", async ({ page, context }) => {
    await createRejected(40);
    await enterAs(page, "admin");
    await page.goto(listOf(receiver));
    await page.getByRole("button", { name: "Send all matching again" }).click();
    const dialog = page.getByRole("dialog", { name: "Send all matching events again?" });
    // An event whose next attempt is in progress is not included.
    const retry = dialog.getByRole("button", { name: /^Send \d+ events again$/ });
    const many = Number((await retry.textContent())?.match(/\d+/)?.[0]);
    expect(many).toBeGreaterThan(BATCH_SIZE);
    let batches = 0;
    await page.route("**/events/retry", async (route) => {
      batches += 1;
      if (batches !== 2) return route.continue();
      await context.setOffline(true);
      return route.abort("internetdisconnected");
    });
    await retry.click();
    await expect(dialog.getByRole("alert")).toContainText(`Stopped after ${BATCH_SIZE} of ${many}`);
    await expect(dialog.getByRole("table").getByRole("row")).toHaveCount(BATCH_SIZE);
    receiver.respondWith(200);
    await context.setOffline(false);
    await dialog.getByRole("button", { name: `Send the remaining ${many - BATCH_SIZE} events again` }).click();
    await expect(dialog).toContainText(`${many} of ${many} sent again`);
    await expect(dialog.getByRole("table").getByRole("row")).toHaveCount(many);
    const done = async () => (await receiver.events()).filter(({ status_code }) => status_code === 200).length;
    await expect.poll(done, { timeout: 30_000 }).toBeGreaterThanOrEqual(many - BATCH_SIZE);
  });
});
