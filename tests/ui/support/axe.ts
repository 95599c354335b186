// The rules of WCAG 2.2 A and AA, by axe.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * What axe complains about, on the whole page or within what a selector finds. Of all its rules contrast alone depends on the
 * theme: in dark it is the only one asked again.
 */
export async function complaintsIn(page: Page, colorScheme: "light" | "dark", within?: string): Promise<string[]> {
  // Without frames of other origins there is nothing to gather from them, for which each look would open a page of its own.
  const all = new AxeBuilder({ page }).setLegacyMode();
  if (within) all.include(within);
  const runOnly =
    colorScheme === "light"
      ? { type: "tag" as const, values: TAGS }
      : { type: "rule" as const, values: ["color-contrast"] };
  // Of what is well it needs no list of elements, which takes longer to make than to check them.
  const { violations } = await all.options({ runOnly, resultTypes: ["violations"] }).analyze();
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 5).map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 200)}\n${failureSummary}`),
  );
}
