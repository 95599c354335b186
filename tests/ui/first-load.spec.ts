// What a page loads first: less than 170 kB of JavaScript on the wire, and fonts only later.
import http from "node:http";
import { expect, type Page } from "@playwright/test";
import { practices } from "./support/demo";
import { openWithoutScripts } from "./support/held-scripts";
import { listPages } from "./support/pages";
import { enterAs, test } from "./support/test";

const LIMIT_BYTES = 170_000;

test("no page initially loads 170 kB of JavaScript", async ({ page, baseURL }) => {
  test.setTimeout(120_000);
  const known = new Map<string, number>();
  const sizeOf = async (script: string) => {
    if (!known.has(script)) known.set(script, await bytesOnWire(new URL(script, baseURL)));
    return known.get(script) as number;
  };
  for (const { name, path } of (await listPages()).filter(({ name }) => name !== "absent")) {
    if (name === "sign-in") await page.context().clearCookies();
    else if ((await page.context().cookies()).length === 0) await enterAs(page, "admin");
    const scripts = await scriptsOf(page, path);
    const sizes = await Promise.all(scripts.map(sizeOf));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.info(`${name.padEnd(18)} ${(bytes / 1000).toFixed(1).padStart(6)} kB`);
    expect(scripts.length, name).toBeGreaterThan(3);
    expect.soft(bytes, name).toBeLessThan(LIMIT_BYTES);
  }
});

test("fonts load once a page is ready, and are shown from the start by a browser that has loaded them", async ({
  page,
}) => {
  await enterAs(page, "staff");
  const path = `/practices/${practices().enabled}`;
  const fonts: string[] = [];
  page.on("request", (request) => request.resourceType() === "font" && fonts.push(request.url()));
  const family = () => page.evaluate(() => getComputedStyle(document.body).fontFamily);

  const letGo = await openWithoutScripts(page, path);
  expect(await family()).toMatch(/^"Geist Fallback"/);
  expect(fonts).toEqual([]);
  letGo();
  await page.waitForFunction(() => localStorage.getItem("crosswalk:fonts"));
  expect(await family()).toMatch(/^"Geist Variable"/);
  expect(fonts.length).toBeGreaterThan(0);

  await openWithoutScripts(page, path);
  expect(await family()).toMatch(/^"Geist Variable"/);
});

/** Lists the scripts that a page's HTML names, including those of its parts, without those for old browsers. */
async function scriptsOf(page: Page, path: string): Promise<string[]> {
  const html = await (await page.request.get(path)).text();
  const tags = html.match(/<(?:script|link)\b[^>]*>/g) ?? [];
  const scripts = tags
    .filter((tag) => !/\bnomodule\b/i.test(tag))
    .flatMap((tag) => /(?:src|href)="([^"]+\.js)(?:\?[^"]*)?"/.exec(tag)?.[1] ?? []);
  return [...new Set(scripts)];
}

/** Counts the bytes as a browser gets them: compressed, with Brotli if it is built so. */
function bytesOnWire(url: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers: { "accept-encoding": "gzip, deflate, br" } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("end", () => resolve(bytes));
    });
    request.on("error", reject);
  });
}
