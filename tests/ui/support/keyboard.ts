// Use without a mouse: the focus moves only by keys that a person has.
import { expect, type Locator, type Page } from "@playwright/test";

interface Way {
  /** Moves backwards, with Shift. */
  back?: boolean;
  most?: number;
}

/** Presses Tab until the element has focus. */
export async function tabTo(page: Page, target: Locator, { back = false, most = 80 }: Way = {}): Promise<void> {
  await expect(target).toBeVisible();
  // An element that waits for the page to be ready is skipped until then.
  await expect(target).toBeEnabled();
  for (let presses = 0; presses <= most; presses++) {
    if (await hasFocus(target)) return expectVisibleFocus(page);
    await page.keyboard.press(back ? "Shift+Tab" : "Tab");
  }
  throw new Error(`Tab never reaches ${target}`);
}

/** Moves there with Tab and presses a key, Enter by default. */
export async function press(page: Page, target: Locator, key = "Enter", way: Way = {}): Promise<void> {
  await tabTo(page, target, way);
  await page.keyboard.press(key);
}

/** Moves there with Tab and types, replacing the content. */
export async function type(page: Page, target: Locator, text: string, way: Way = {}): Promise<void> {
  await tabTo(page, target, way);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

/** Moves down an open menu to an entry, and chooses it. */
export async function chooseByArrows(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.getByRole("menuitem", { name });
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest("[role=menu], [role=menuitem]")?.textContent);
  await expect.poll(focused, { message: "the menu has focus" }).toBeTruthy();
  for (let presses = await page.getByRole("menuitem").count(); presses > 0 && !(await hasFocus(wanted)); presses--) {
    const before = await focused();
    await page.keyboard.press("ArrowDown");
    // The menu moves the focus some time after the key; an earlier check would press once too often.
    await expect.poll(focused).not.toBe(before);
  }
  await expect(wanted).toBeFocused();
  await page.keyboard.press("Enter");
}

const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** Expects a visible focus, which keyboard users need. */
async function expectVisibleFocus(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(element);
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) && borderColor !== "";
    return typing || (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  });
  const name = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
  expect(seen, `the focus is visible on ${name}`).toBe(true);
}
