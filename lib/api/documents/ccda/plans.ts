import { newestNoteTexts } from "./notes";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, instanceId, narrativeLink, timePoint, uncoded } from "./xml";

type LabOrder = CcdaInput["chart"]["records"]["labOrders"][number];

const PLANNED = ["Plan", "Followup", "Orders", "Instr", "Tx"];

/** Returns the plan in the newest note, and open laboratory orders. */
export function planContent(input: CcdaInput): SectionContent | null {
  const open = openOrders(input);
  const paragraphs = newestNoteTexts(input, PLANNED);
  if (open.length + paragraphs.length === 0) return null;
  const root = input.context.roots.lab_orders;
  return {
    paragraphs,
    tables: [orderTable(open)],
    entries: open.flatMap((order) => plannedObservations(order, root)),
    from: ["labOrders", "visitNotes"],
  };
}

/** Returns the interventions of a care plan, without coded entries, which would have to name the goal that each serves. */
export function interventionsContent(input: CcdaInput): SectionContent | null {
  const plan = planContent(input);
  return plan && { paragraphs: plan.paragraphs ?? [], tables: plan.tables ?? [], from: plan.from ?? [] };
}

/** Orders that are neither fulfilled nor canceled. Confidential ones stay in the practice. */
function openOrders({ chart }: CcdaInput): LabOrder[] {
  return chart.records.labOrders.filter(
    ({ data }) => data.confidential !== true && !["fulfilled", "cancelled"].includes(data.resolution?.state ?? ""),
  );
}

const orderRowId = (order: LabOrder, index: number) => `order-${order.id}-${index + 1}`;
const plannedFor = ({ data }: LabOrder) => data.test_date ?? data.document_date ?? null;

function orderTable(orders: readonly LabOrder[]) {
  const rows = orders.flatMap((order) =>
    (order.data.content?.tests ?? []).map(({ name, icd10_codes = [] }, index) => ({
      id: orderRowId(order, index),
      cells: [
        name,
        plannedFor(order)?.slice(0, 10),
        icd10_codes.map(({ code, description }) => description || code).join(", "),
      ],
    })),
  );
  return { columns: ["Laboratory test ordered", "Date", "For"], rows };
}

function plannedObservations(order: LabOrder, root: string): Xml[] {
  return (order.data.content?.tests ?? []).map((_test, index) => ({
    observation: {
      "@classCode": "OBS",
      "@moodCode": "RQO",
      templateId: ccdaTemplateId("4.44", "2014-06-09"),
      id: instanceId(root, `${order.id}-${index + 1}`),
      code: uncoded(orderRowId(order, index)),
      text: narrativeLink(orderRowId(order, index)),
      statusCode: { "@code": "active" },
      effectiveTime: timePoint(plannedFor(order)),
    },
  }));
}
