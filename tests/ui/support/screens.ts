// Pictures of pages for review. They add a third to the time of the tests, so they are taken only on request.
import type { Page } from "@playwright/test";
import { inRoot } from "@/scripts/lib/paths.mjs";

export const wantsPictures = Boolean(process.env.UI_PICTURES);

/** Takes a picture of the page, if requested: test-results/screens/NAME.png. */
export async function takePicture(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  if (!wantsPictures) return;
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => undefined))));
  await page.screenshot({ path: inRoot(`test-results/screens/${name}.png`), animations: "disabled", ...options });
}
