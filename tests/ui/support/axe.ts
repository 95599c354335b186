// The rules of WCAG 2.2 A and AA and the best practices, by axe.
import fs from "node:fs";
import { expect, type Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";
import { inRoot } from "@/scripts/lib/paths.mjs";

const AXE = fs.readFileSync(inRoot("node_modules/axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export type Theme = "light" | "dark";

/** Shows the page in a theme, without transitions, whose intermediate colors belong to neither theme. */
export async function showTheme(page: Page, colorScheme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await expect(page.locator("html")).toHaveClass(new RegExp(`\\b${colorScheme}\\b`));
}

/**
 * Lists the violations that axe finds in a theme, on the entire page or within what a selector finds. Contrast is the
 * only rule that depends on the theme, so it is the only one checked again in dark.
 */
export async function findViolations(page: Page, colorScheme: Theme, within?: string): Promise<string[]> {
  await showTheme(page, colorScheme);
  const options: RunOptions = {
    runOnly: colorScheme === "light" ? { type: "tag", values: TAGS } : { type: "rule", values: ["color-contrast"] },
    resultTypes: ["violations"],
  };
  // Added once for each loaded page, because parsing it takes as long as checking a small page.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    async ([context, asked]) => {
      const { axe } = window as unknown as { axe: { run(on: unknown, asked: unknown): Promise<AxeResults> } };
      return (await axe.run(context ?? document, asked)).violations;
    },
    [within, options] as const,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 5).map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 200)}\n${failureSummary}`),
  );
}
