// Pictures of pages, to be looked at: taking them takes as long as a third of what is tested, so that they are asked for.
import type { Page } from "@playwright/test";
import { inRoot } from "@/scripts/lib/paths.mjs";

export const wantsPictures = Boolean(process.env.UI_PICTURES);

/** Where pictures are wanted, one of what the page shows now: test-results/screens/NAME.png. */
export async function takePicture(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  if (!wantsPictures) return;
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => undefined))));
  await page.screenshot({ path: inRoot(`test-results/screens/${name}.png`), animations: "disabled", ...options });
}
