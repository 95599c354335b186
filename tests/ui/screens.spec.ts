// A picture of every page, on a desk and on a phone, light and dark, to be looked at: test-results/screens/.
import { expect } from "@playwright/test";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { type LookedAt, listPages } from "./support/pages";
import { enterAs, test } from "./support/test";

const SIZES = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];
test.use({ expectedTrouble: [/status of 404.*patients\/999999999/] });

let pages: LookedAt[];
test.beforeAll(async () => {
  pages = await listPages();
});

test("pictures", async ({ page }) => {
  test.setTimeout(300_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const { name, path } of pages) {
    if (name === "sign-in") await page.context().clearCookies();
    else if ((await page.context().cookies()).length === 0) await enterAs(page, "admin");
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.goto(path);
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await page.evaluate(readiness);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const file = inRoot(`test-results/screens/${name}-${size.width}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true, animations: "disabled" });
      }
    }
  }
});

/** Fonts and pictures are there. */
async function readiness(): Promise<void> {
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
}
