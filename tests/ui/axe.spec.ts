// Every page by the rules of WCAG 2.2 A and AA: axe in both themes, no scrolling sideways at 320 px, targets of 24 px.
import { expect, type Page } from "@playwright/test";
import { complaintsIn } from "./support/axe";
import { type LookedAt, listPages, pagesThere } from "./support/pages";
import { enterAs, test } from "./support/test";

test.describe.configure({ mode: "default" });
// The page of a record that does not exist answers 404, as it should.
test.use({ expectedTrouble: [/status of 404.*patients\/999999999/] });

let pages: LookedAt[];
test.beforeAll(async () => {
  pages = await listPages();
});

test("every page is looked at", () => {
  const known = new Set(pages.map(({ page }) => page));
  expect(pagesThere().filter((page) => !known.has(page))).toEqual([]);
});

test("axe finds nothing to complain about, light and dark", async ({ page }) => {
  test.setTimeout(300_000);
  for (const each of pages) {
    await visit(page, each);
    for (const colorScheme of ["light", "dark"] as const) {
      await test.step(`${each.name}, ${colorScheme}`, async () => {
        await page.emulateMedia({ colorScheme });
        await expect(page.locator("html")).toHaveClass(new RegExp(`\\b${colorScheme}\\b`));
        const found = await complaintsIn(page, colorScheme);
        expect.soft(found, `${each.name} (${each.path}), ${colorScheme}`).toEqual([]);
      });
    }
  }
});

test("nothing scrolls sideways at any width, and whatever is pressed is at least 24 px high and wide", async ({
  page,
}) => {
  test.setTimeout(300_000);
  for (const each of pages) {
    await visit(page, each);
    for (const width of [320, 390, 900, 1280, 2560]) {
      await test.step(`${each.name} at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 });
        const about = `${each.name} (${each.path}) at ${width} px`;
        // What is laid out by script follows a frame later.
        await expect(async () => {
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(wide, about).toBeLessThanOrEqual(width);
          expect(await page.evaluate(findSmallTargets), about).toEqual([]);
        }).toPass({ timeout: 3_000 });
      });
    }
  }
});

test("printed, a page is black on white and as wide as the paper", async ({ page }) => {
  for (const each of pages.filter(({ name }) =>
    ["patient", "policy", "policy-history", "patient-legacy"].includes(name),
  )) {
    await page.emulateMedia({ colorScheme: "dark", media: "screen" });
    await visit(page, each);
    await page.emulateMedia({ colorScheme: "dark", media: "print" });
    await expect(page.getByRole("navigation", { name: "Places" })).toHaveCount(0);
    const { main, paper, ground, ink } = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      const main = document.getElementById("main")?.getBoundingClientRect().width ?? 0;
      return { main, paper: document.documentElement.clientWidth, ground: backgroundColor, ink: color };
    });
    expect([each.name, main / paper > 0.95, ground, ink]).toEqual([
      each.name,
      true,
      "rgb(255, 255, 255)",
      "rgb(0, 0, 0)",
    ]);
    await expect(page.locator("#main h1")).toHaveCSS("color", "rgb(0, 0, 0)");
    expect.soft(await complaintsIn(page, "dark"), each.name).toEqual([]);
  }
});

/** Loads a page and waits until what it shows has come. */
async function visit(page: Page, { path, name }: LookedAt): Promise<void> {
  if (name === "sign-in") await page.context().clearCookies();
  else if ((await page.context().cookies()).length === 0) await enterAs(page, "admin");
  await page.goto(path);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/** Targets under 24 px that are no link within a line of text (WCAG 2.5.8), in the browser. */
function findSmallTargets(): string[] {
  const TARGETS =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=option], [role=menuitem], [role=checkbox], [role=slider]";
  const small: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>(TARGETS)) {
    // A box to tick is pressed by its label too.
    const label = (element as HTMLInputElement).labels?.[0];
    const box = element.getBoundingClientRect();
    const ticked = element.matches("input[type=checkbox], input[type=radio]") && label;
    const shown = element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    if (!shown || box.width <= 1 || box.height <= 1 || element.closest("[aria-hidden=true], [inert]")) continue;
    const own = ticked ? label.getBoundingClientRect() : null;
    const width = own ? Math.max(box.right, own.right) - Math.min(box.left, own.left) : box.width;
    const height = own ? Math.max(box.height, own.height) : box.height;
    if (width >= 23.5 && height >= 23.5) continue;
    const isInline = element.tagName === "A" && getComputedStyle(element).display === "inline";
    const around = element.parentElement?.textContent?.trim() ?? "";
    if (isInline && around.length > (element.textContent?.trim().length ?? 0)) continue;
    small.push(`${Math.round(width)}×${Math.round(height)} ${element.outerHTML.slice(0, 160)}`);
  }
  return small;
}
