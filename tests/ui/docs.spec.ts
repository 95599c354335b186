// The documentation as visitors without an account read it: guides, and the reference generated from the API description.
import { expect, type Page } from "@playwright/test";
import { GUIDES } from "@/lib/api/guides/queries";
import { showTheme } from "./support/axe";
import { takePicture } from "./support/screens";
import { enterAs, test } from "./support/test";

/** Records the addresses of other servers that a page requests. */
function recordExternalRequests(page: Page, baseURL: string | undefined): string[] {
  const external: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (/^https?:|^wss?:/.test(url) && new URL(url).origin !== new URL(baseURL ?? "").origin) external.push(url);
  });
  return external;
}

test("every guide has a page, and its links lead to pages", async ({ page, baseURL }) => {
  const external = recordExternalRequests(page, baseURL);
  await page.goto("/docs");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("API documentation");
  for (const { slug, title } of GUIDES) {
    await page.goto(`/docs/guides/${slug}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    await expect(page.getByRole("link", { name: title, exact: true })).toHaveAttribute("aria-current", "page");
    const links = await page
      .locator("#main a[href^='/docs/']")
      .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href));
    for (const link of new Set(links)) expect([link, (await page.request.get(link)).status()]).toEqual([link, 200]);
  }
  expect(external).toEqual([]);
});

test("an unknown guide is a 404", async ({ page }) => {
  expect((await page.request.get("/docs/guides/nothing")).status()).toBe(404);
});

test("the reference shows every part of the description and contacts only this server", async ({ page, baseURL }) => {
  const external = recordExternalRequests(page, baseURL);
  await page.goto("/docs/reference");
  const { tags } = await (await page.request.get("/api/2.0/openapi.json")).json();
  const groups = page.getByRole("navigation", { name: "Groups" }).getByRole("link");
  await expect(groups).toHaveText(tags.map(({ name }: { name: string }) => name));
  // The viewer's heading of the group is a link of the same name.
  const insurance = groups.filter({ hasText: /^Insurance$/ });
  await insurance.click();
  await expect(insurance).toHaveAttribute("aria-current", "page");
  const operation = page.locator(".opblock", { hasText: "Create a policy" });
  await operation.locator(".opblock-summary-control").click();
  await expect(operation).toContainText("patient_first_name");
  await expect(operation).toContainText("Idempotency-Key");
  const code = operation.getByRole("region", { name: "Code" });
  await expect(code).toContainText("curl -X POST");
  await code.getByRole("button", { name: "Python" }).click();
  await expect(code).toContainText("urllib.request.Request(");
  for (const colorScheme of ["light", "dark"] as const) {
    await showTheme(page, colorScheme);
    await takePicture(page, `docs-reference-${colorScheme}`);
  }
  expect(external).toEqual([]);
});

test("an admin of the demo can try a request with a demo token", async ({ page }) => {
  await page.goto("/docs/reference?group=Practice");
  const operation = page.locator("#operations-Practice-practices_list");
  await expect(operation).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("button", { name: "Use a demo token" })).toHaveCount(0);
  await enterAs(page, "admin");
  await page.reload();
  await page.getByRole("button", { name: "Use a demo token" }).click();
  await expect(page.getByRole("status")).toContainText("Your requests now use a demo token.");
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  const answered = page.waitForResponse((response) => response.url().includes("/api/2.0/practices"));
  await operation.getByRole("button", { name: "Execute" }).click();
  expect((await answered).status()).toBe(200);
});

test("no other page loads the viewer", async ({ page }) => {
  for (const path of ["/docs", "/docs/guides/first-token", "/sign-in"]) {
    expect(await (await page.request.get(path)).text()).not.toContain("/viewer/");
  }
});
