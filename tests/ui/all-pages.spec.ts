// Every page follows WCAG 2.2 A and AA: axe in both themes, no horizontal scrolling at 320 px, targets of at least 24
// px. Breadcrumbs link to each ancestor. With UI_PICTURES=1 each page is saved as screenshots in test-results/screens/:
// desktop and phone, light and dark.
import { expect, type Page } from "@playwright/test";
import { findViolations, showTheme, type Theme } from "./support/axe";
import { listPageFolders, listPages, type VisitedPage } from "./support/pages";
import { takePicture, wantsPictures } from "./support/screens";
import { enterAs, test } from "./support/test";

test.describe.configure({ mode: "parallel" });
// The page of an absent record returns 404, as expected.
test.use({ expectedErrors: /status of 404.*patients\/999999999/ });

const SCHEMES = ["light", "dark"] as const;
const DESK = 1280;
const PHONE = 390;

/** The number of ancestors that the breadcrumb of each page links to. Tabs and main pages have none. */
const ANCESTORS: Readonly<Record<string, number>> = {
  "docs-guide": 1,
  patient: 1,
  "patient-empty": 1,
  "patient-legacy": 1,
  policy: 2,
  "policy-archived": 2,
  "policy-history": 3,
  "policy-edit": 3,
  "policy-new": 2,
  event: 1,
  subscriptions: 1,
  "stream-event": 1,
  "migration-new": 1,
  "migration-what-if": 1,
  "migration-readiness": 1,
  "migration-run-check": 1,
  "migration-run-convert": 1,
  "migration-findings": 2,
  "migration-records": 2,
  "migration-record": 3,
  "help-guide": 1,
  "help-glossary": 1,
  "help-news": 1,
};

/** Ancestors that were opened already. */
const opened = new Set<string>();

let pages: VisitedPage[];
test.beforeAll(async () => {
  pages = await listPages();
});

test("every page is tested", () => {
  const known = new Set(pages.map(({ page }) => page));
  expect(listPageFolders().filter((page) => !known.has(page))).toEqual([]);
});

for (const half of [0, 1]) {
  test(`axe finds no violation, breadcrumbs link to all ancestors, no page scrolls horizontally at any width, no value overflows, and every target is at least 24 px high and wide (half ${half + 1} of the pages)`, async ({
    page,
  }) => {
    test.setTimeout(480_000);
    for (const each of pages.filter((_, at) => at % 2 === half)) await test.step(each.name, () => lookAt(page, each));
  });
}

async function lookAt(page: Page, each: VisitedPage): Promise<void> {
  await page.setViewportSize({ width: DESK, height: 900 });
  await visit(page, each);
  await expectBreadcrumb(page, each);
  for (const colorScheme of SCHEMES) {
    const found = await findViolations(page, colorScheme);
    expect.soft(found, `${each.name} (${each.path}), ${colorScheme}`).toEqual([]);
    await takePicture(page, `${each.name}-${DESK}-${colorScheme}`, { fullPage: true });
  }
  for (const width of [320, PHONE, 900, DESK, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await expectFits(page, width, `${each.name} (${each.path})`);
    if (width === PHONE && wantsPictures)
      for (const colorScheme of SCHEMES) await takePhonePicture(page, each.name, colorScheme);
  }
}

async function expectBreadcrumb(page: Page, each: VisitedPage): Promise<void> {
  const links = page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link");
  await expect(links, each.name).toHaveCount(ANCESTORS[each.name] ?? 0);
  const paths = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname));
  // Each ancestor is above the next one and above this page.
  const chain = [...paths, new URL(each.path, "http://x").pathname];
  for (const [at, path] of paths.entries()) {
    expect([each.name, chain[at + 1]?.startsWith(`${path}/`)]).toEqual([each.name, true]);
    if (opened.has(path)) continue;
    expect([path, (await page.request.get(path)).status()]).toEqual([path, 200]);
    opened.add(path);
  }
}

async function takePhonePicture(page: Page, name: string, colorScheme: Theme): Promise<void> {
  await showTheme(page, colorScheme);
  await takePicture(page, `${name}-${PHONE}-${colorScheme}`, { fullPage: true });
}

/** Returns the values in lists of details that are wider than their column, and reach into the next one or out of the box. */
function findOverflowingValues(): (string | null)[] {
  const values = [...document.querySelectorAll("dd")];
  return values.filter((value) => value.scrollWidth > value.clientWidth).map((value) => value.textContent);
}

/** Expects that nothing is wider than the window or its column, and no target is too small. Scripted layout follows a frame later. */
async function expectFits(page: Page, width: number, where: string): Promise<void> {
  const about = `${where} at ${width} px`;
  await expect(async () => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, about).toBeLessThanOrEqual(width);
    expect(await page.evaluate(findOverflowingValues), about).toEqual([]);
    expect(await page.evaluate(findSmallTargets), about).toEqual([]);
  }).toPass({ timeout: 3_000 });
}

test("a printed page is black on white and as wide as the paper", async ({ page }) => {
  for (const each of pages.filter(({ name }) =>
    ["patient", "policy", "policy-history", "patient-legacy", "migration-readiness"].includes(name),
  )) {
    await page.emulateMedia({ media: "screen" });
    await visit(page, each);
    await showTheme(page, "dark");
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("navigation", { name: "Main" })).toHaveCount(0);
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
    expect.soft(await findViolations(page, "dark"), each.name).toEqual([]);
  }
});

/** Loads a page and waits until its content is shown. */
async function visit(page: Page, { path, name }: VisitedPage): Promise<void> {
  if (name === "sign-in") await page.context().clearCookies();
  else if ((await page.context().cookies()).length === 0) await enterAs(page, "admin");
  await page.goto(path);
  // The viewer of the API reference takes seconds, and many on a busy machine.
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0, { timeout: 30_000 });
  await page.evaluate(() => document.fonts.ready);
}

/** Finds targets under 24 px that are not links within text (WCAG 2.5.8), in the browser. */
function findSmallTargets(): string[] {
  const TARGETS =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=option], [role=menuitem], [role=checkbox], [role=slider]";
  const small: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>(TARGETS)) {
    // Clicking its label also toggles a checkbox.
    const label = (element as HTMLInputElement).labels?.[0];
    const box = element.getBoundingClientRect();
    const labeled = element.matches("input[type=checkbox], input[type=radio]") && label;
    const shown = element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    if (!shown || box.width <= 1 || box.height <= 1 || element.closest("[aria-hidden=true], [inert]")) continue;
    const own = labeled ? label.getBoundingClientRect() : null;
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
