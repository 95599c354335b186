import type { Page } from "@playwright/test";

/** Opens a group of the policy form, such as `Subscriber`, which is closed while it is not needed. */
export async function openGroup(page: Page, title: string): Promise<void> {
  await page.locator("summary", { hasText: new RegExp(`^${title}`) }).click();
}
