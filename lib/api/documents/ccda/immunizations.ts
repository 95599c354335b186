import { vaccineNameOf } from "@/lib/api/documents/chart/rules";
import type { Chart } from "@/lib/api/documents/chart/schema";
import { physicianEntityOf } from "./parties";
import type { Content, Subject, Xml } from "./schema";
import { coded, consolidated, idOf, point, shownAt, uncoded } from "./values";

type Immunization = Subject["chart"]["records"]["immunizations"][number];

/** The vaccines that were given. */
export function immunizationsContent({ chart, making }: Subject): Content | null {
  const { immunizations } = chart.records;
  if (immunizations.length === 0) return null;
  const rows = immunizations.map(({ id, data }) => ({
    id: `immunization-${id}`,
    cells: [
      ...[vaccineNameOf(data), data.administered_date?.slice(0, 10), data.lot_number, data.manufacturer_name],
      ...[[data.qty, data.qty_units].filter(Boolean).join(" "), [data.method, data.site].filter(Boolean).join(", ")],
    ],
  }));
  const columns = ["Vaccine", "Given", "Lot", "Manufacturer", "Amount", "Route and site"];
  const root = making.roots.immunizations;
  return {
    tables: [{ columns, rows }],
    entries: immunizations.map((entry) => activityOf(entry, root, chart)),
    from: ["immunizations"],
  };
}

function activityOf({ id, data }: Immunization, root: string, chart: Chart): Xml {
  const physician = chart.physicians.get(data.administering_physician ?? 0);
  const rowId = `immunization-${id}`;
  return {
    substanceAdministration: {
      "@classCode": "SBADM",
      "@moodCode": "EVN",
      "@negationInd": "false",
      templateId: consolidated("4.52", "2015-08-01"),
      id: idOf(root, id),
      text: shownAt(rowId),
      statusCode: { "@code": "completed" },
      effectiveTime: point(data.administered_date),
      consumable: { manufacturedProduct: productOf(rowId, data) },
      performer: physician ? { assignedEntity: physicianEntityOf(physician, chart) } : undefined,
    },
  };
}

function productOf(rowId: string, data: Immunization["data"]): Xml {
  const { vaccine, lot_number, manufacturer_name } = data;
  // CVX codes below 100 are written with a zero in front.
  const code =
    typeof vaccine?.cvx === "number"
      ? { ...coded("CVX", String(vaccine.cvx).padStart(2, "0"), vaccineNameOf(data)), originalText: shownAt(rowId) }
      : uncoded(rowId);
  return {
    "@classCode": "MANU",
    templateId: consolidated("4.54", "2014-06-09"),
    manufacturedMaterial: { code, lotNumberText: lot_number || undefined },
    manufacturerOrganization: manufacturer_name ? { name: manufacturer_name } : undefined,
  };
}
