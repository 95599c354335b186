import { renderHeader } from "./header";
import { limitToPeriod } from "./period";
import type { CcdaInput } from "./schema";
import { renderSection } from "./sections";
import { TEMPLATE_DEFINITIONS } from "./templates";
import { serializeXml } from "./xml";

/**
 * A patient's chart as a C-CDA R2.1 document, in XML. It has the sections its kind requires, and of the others those asked
 * for; a required one that was not asked for is there without what it would hold.
 */
export function renderCcda({ chart, context }: CcdaInput): string {
  const input = { chart: limitToPeriod(chart, context.period), context };
  const { required, offered } = TEMPLATE_DEFINITIONS[context.template];
  const isWanted = (name: (typeof offered)[number]) => context.sections?.includes(name) ?? true;
  const sections = [...required, ...offered.filter(isWanted)];
  return serializeXml("ClinicalDocument", {
    ...renderHeader(input),
    component: {
      structuredBody: {
        component: sections.map((name) => ({ section: renderSection(name, input, isWanted(name)) })),
      },
    },
  });
}
