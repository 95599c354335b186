import type { Chart } from "@/lib/api/documents/chart/schema";
import { headerOf } from "./header";
import { chartWithin } from "./period";
import type { Making } from "./schema";
import { sectionOf } from "./sections";
import { TEMPLATE_RULES } from "./templates";
import { serialize } from "./xml";

/**
 * A patient's chart as a C-CDA R2.1 document, in XML. It has the sections its kind requires, and of the others those asked
 * for; a required one that was not asked for is there without what it would hold.
 */
export function documentOf(chart: Chart, making: Making): string {
  const subject = { chart: chartWithin(chart, making.period), making };
  const { required, offered } = TEMPLATE_RULES[making.template];
  const isWanted = (name: (typeof offered)[number]) => making.sections?.includes(name) ?? true;
  const sections = [...required, ...offered.filter(isWanted)];
  return serialize("ClinicalDocument", {
    ...headerOf(subject),
    component: {
      structuredBody: {
        component: sections.map((name) => ({ section: sectionOf(name, subject, isWanted(name)) })),
      },
    },
  });
}
