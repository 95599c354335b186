// Webhook subscriptions: an admin sends a test event, replays events and rotates the signing secret.
import { expect } from "@playwright/test";
import { practices } from "./support/demo";
import { type Receiver, startReceiver } from "./support/receiver";
import { enterAs, test } from "./support/test";

const { enabled } = practices();
let receiver: Receiver;
test.afterEach(() => receiver?.stop());

test("a subscription is tested, its events are replayed, and its secret is rotated", async ({ page }) => {
  receiver = await startReceiver(enabled, 2, 200);
  const delivered = async () => (await receiver.events()).filter(({ status_code }) => status_code === 200).length;
  await expect.poll(delivered, { timeout: 30_000 }).toBe(2);

  await enterAs(page, "admin");
  await page.goto(`/practices/${enabled}/events/subscriptions`);
  const row = page.getByRole("table", { name: "Subscriptions" }).getByRole("row").filter({ hasText: receiver.name });
  const dialog = page.getByRole("dialog");
  const choose = async (action: string) => {
    await row.getByRole("button", { name: /^More actions/ }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };

  await choose("Send test event");
  await dialog.getByRole("button", { name: "Send test event" }).click();
  await expect(dialog).toContainText("Test event delivered");
  await expect(dialog).toContainText("Status 200");
  receiver.respondWith(503);
  await dialog.getByRole("button", { name: "Send another test event" }).click();
  await expect(dialog).toContainText("Test event not delivered");
  await expect(dialog).toContainText("Status 503");
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(dialog).toBeHidden();

  receiver.respondWith(200);
  const [event] = await receiver.events();
  if (!event) throw new Error("no event");
  const before = receiver.timesOf(event);
  await choose("Replay events");
  await dialog.getByRole("button", { name: "Replay 2 events" }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => receiver.timesOf(event)).toBe(before + 1);

  await choose("Rotate signing secret");
  await dialog.getByLabel("Reason").fill("Left in a chat");
  await dialog.getByRole("button", { name: "Rotate secret" }).click();
  await expect(dialog).toContainText("Save the signing secret");
  await expect(dialog).toContainText(/whsec_[A-Za-z0-9+/]{43}=/);
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/whsec_/)).toHaveCount(0);
});
