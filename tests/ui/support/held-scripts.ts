// Scripts that come late, as over a slow network.
import { expect, type Page, type Route } from "@playwright/test";

/** Holds back scripts. @returns what lets them through */
async function hold(page: Page, pass: (route: Route, held: Promise<void>) => Promise<void>): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route("**/_next/static/chunks/*.js", (route) => pass(route, held));
  return letGo;
}

/** Holds back the script that contains a text. @returns what lets it through */
export function holdScript(page: Page, text: string): Promise<() => void> {
  return hold(page, async (route, held) => {
    const response = await route.fetch();
    if ((await response.text()).includes(text)) await held;
    await route.fulfill({ response });
  });
}

/** Loads a page whose scripts are held back. @returns what lets them through */
export async function openWithoutScripts(page: Page, path: string): Promise<() => void> {
  const letGo = await hold(page, async (route, held) => {
    await held;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  await expect(page.getByRole("main")).toBeVisible();
  return letGo;
}
