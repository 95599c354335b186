import { renderHeader } from "./header";
import { limitToPeriod } from "./period";
import type { CcdaInput } from "./schema";
import { renderSection } from "./sections";
import { TEMPLATE_DEFINITIONS } from "./templates";
import { serializeXml } from "./xml";

/**
 * Renders a patient's chart as a C-CDA R2.1 document in XML. It has the sections that its template requires and the others that
 * were requested. A required section that was not requested is empty.
 */
export function renderCcda({ chart, context }: CcdaInput): string {
  const input = { chart: limitToPeriod(chart, context.period), context };
  const { required, offered } = TEMPLATE_DEFINITIONS[context.template];
  const isRequested = (name: (typeof offered)[number]) => context.sections?.includes(name) ?? true;
  const sections = [...required, ...offered.filter(isRequested)];
  return serializeXml("ClinicalDocument", {
    ...renderHeader(input),
    component: {
      structuredBody: {
        component: sections.map((name) => ({ section: renderSection(name, input, isRequested(name)) })),
      },
    },
  });
}
