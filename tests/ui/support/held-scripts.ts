// Scripts that load late, as over a slow network.
import { expect, type Page, type Route } from "@playwright/test";

/** Holds back scripts. @returns a function that releases them */
async function hold(page: Page, pass: (route: Route, held: Promise<void>) => Promise<void>): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route("**/_next/static/chunks/*.js", (route) => pass(route, held));
  return letGo;
}

/** Holds back the scripts that contain a string. @returns a function that releases them */
export function holdScript(page: Page, text: string): Promise<() => void> {
  return hold(page, async (route, held) => {
    const response = await route.fetch();
    if ((await response.text()).includes(text)) await held;
    await route.fulfill({ response });
  });
}

/**
 * Opens a page that is ready except for the script that contains a string, which is held back. @returns a function that
 * releases it
 */
export async function openWithoutScript(page: Page, path: string, text: string): Promise<() => void> {
  const letGo = await holdScript(page, text);
  await page.addInitScript(() => {
    window.addEventListener("crosswalk:ready", () => document.documentElement.setAttribute("data-ready", ""));
  });
  // Not until the `load` event: if the page requests the script before it, the event waits for the script.
  await page.goto(path, { waitUntil: "commit" });
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  return letGo;
}

/** Loads a page whose scripts are held back. @returns a function that releases them */
export async function openWithoutScripts(page: Page, path: string): Promise<() => void> {
  const letGo = await hold(page, async (route, held) => {
    await held;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  // All of it: the first part of a page can show before the rest has arrived.
  await page.waitForFunction(() => document.readyState !== "loading");
  await expect(page.getByRole("main")).toBeVisible();
  return letGo;
}

/**
 * Holds back timers without a delay, which a page uses to replay early presses one by one.
 *
 * @returns a function that runs a number of them; without a number, all from then on
 */
export async function holdRepeats(page: Page): Promise<(count?: number) => Promise<void>> {
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const held: (() => void)[] = [];
    let allowed = 0;
    const run = () => {
      for (; allowed > 0 && held.length > 0; allowed--) setTimeout(held.shift() as () => void);
    };
    Object.assign(window, {
      setTimeout: (act: () => void, ...rest: [number?]) => {
        if (rest[0] !== undefined) return setTimeout(act, ...rest);
        held.push(act);
        run();
      },
      allowRepeats: (count: number) => {
        allowed = count;
        run();
      },
    });
  });
  return (count = Number.POSITIVE_INFINITY) =>
    page.evaluate((most) => (window as unknown as { allowRepeats: (count: number) => void }).allowRepeats(most), count);
}
