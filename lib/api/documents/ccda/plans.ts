import { newestNoteTexts } from "./notes";
import type { Content, Subject, Xml } from "./schema";
import { consolidated, idOf, point, shownAt, uncoded } from "./values";

type LabOrder = Subject["chart"]["records"]["labOrders"][number];

const PLANNED = ["Plan", "Followup", "Orders", "Instr", "Tx"];

/** What is to be done: the plan of the newest note, and laboratory orders that are open. */
export function planContent(subject: Subject): Content | null {
  const open = openOrders(subject);
  const paragraphs = newestNoteTexts(subject, PLANNED);
  if (open.length + paragraphs.length === 0) return null;
  const root = subject.making.roots.lab_orders;
  return {
    paragraphs,
    tables: [tableOf(open)],
    entries: open.flatMap((order) => observationsOf(order, root)),
    from: ["labOrders", "visitNotes"],
  };
}

/** The same for a care plan, to be read: its entries would say how each serves a goal, and nothing here does. */
export function interventionsContent(subject: Subject): Content | null {
  const plan = planContent(subject);
  return plan && { paragraphs: plan.paragraphs ?? [], tables: plan.tables ?? [], from: plan.from ?? [] };
}

/** Orders nobody has called fulfilled or cancelled; a confidential one stays in the practice. */
function openOrders({ chart }: Subject): LabOrder[] {
  return chart.records.labOrders.filter(
    ({ data }) => data.confidential !== true && !["fulfilled", "cancelled"].includes(data.resolution?.state ?? ""),
  );
}

const rowIdOf = (order: LabOrder, index: number) => `order-${order.id}-${index + 1}`;
const plannedFor = ({ data }: LabOrder) => data.test_date ?? data.document_date ?? null;

function tableOf(orders: readonly LabOrder[]) {
  const rows = orders.flatMap((order) =>
    (order.data.content?.tests ?? []).map(({ name, icd10_codes = [] }, index) => ({
      id: rowIdOf(order, index),
      cells: [
        name,
        plannedFor(order)?.slice(0, 10),
        icd10_codes.map(({ code, description }) => description || code).join(", "),
      ],
    })),
  );
  return { columns: ["Laboratory test ordered", "Date", "For"], rows };
}

function observationsOf(order: LabOrder, root: string): Xml[] {
  return (order.data.content?.tests ?? []).map((_test, index) => ({
    observation: {
      "@classCode": "OBS",
      "@moodCode": "RQO",
      templateId: consolidated("4.44", "2014-06-09"),
      id: idOf(root, `${order.id}-${index + 1}`),
      code: uncoded(rowIdOf(order, index)),
      text: shownAt(rowIdOf(order, index)),
      statusCode: { "@code": "active" },
      effectiveTime: point(plannedFor(order)),
    },
  }));
}
