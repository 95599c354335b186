import { formatVaccineName } from "@/lib/api/documents/chart/format";
import type { Chart } from "@/lib/api/documents/chart/schema";
import { assignedEntity } from "./parties";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, coded, instanceId, narrativeLink, timePoint, uncoded } from "./xml";

type Immunization = CcdaInput["chart"]["records"]["immunizations"][number];

export function immunizationsContent({ chart, context }: CcdaInput): SectionContent | null {
  const { immunizations } = chart.records;
  if (immunizations.length === 0) return null;
  const rows = immunizations.map(({ id, data }) => ({
    id: `immunization-${id}`,
    cells: [
      formatVaccineName(data),
      data.administered_date?.slice(0, 10),
      data.lot_number,
      data.manufacturer_name,
      [data.qty, data.qty_units].filter(Boolean).join(" "),
      [data.method, data.site].filter(Boolean).join(", "),
    ],
  }));
  const columns = ["Vaccine", "Given", "Lot", "Manufacturer", "Amount", "Route and site"];
  const root = context.roots.immunizations;
  return {
    tables: [{ columns, rows }],
    entries: immunizations.map((entry) => immunizationActivity(entry, root, chart)),
    from: ["immunizations"],
  };
}

function immunizationActivity({ id, data }: Immunization, root: string, chart: Chart): Xml {
  const physician = chart.physicians.get(data.administering_physician ?? 0);
  const rowId = `immunization-${id}`;
  return {
    substanceAdministration: {
      "@classCode": "SBADM",
      "@moodCode": "EVN",
      "@negationInd": "false",
      templateId: ccdaTemplateId("4.52", "2015-08-01"),
      id: instanceId(root, id),
      text: narrativeLink(rowId),
      statusCode: { "@code": "completed" },
      effectiveTime: timePoint(data.administered_date),
      consumable: { manufacturedProduct: vaccineProduct(rowId, data) },
      performer: physician ? { assignedEntity: assignedEntity(physician, chart) } : undefined,
    },
  };
}

function vaccineProduct(rowId: string, data: Immunization["data"]): Xml {
  const { vaccine, lot_number, manufacturer_name } = data;
  // CVX codes have at least two digits.
  const code =
    typeof vaccine?.cvx === "number"
      ? {
          ...coded("CVX", String(vaccine.cvx).padStart(2, "0"), formatVaccineName(data)),
          originalText: narrativeLink(rowId),
        }
      : uncoded(rowId);
  return {
    "@classCode": "MANU",
    templateId: ccdaTemplateId("4.54", "2014-06-09"),
    manufacturedMaterial: { code, lotNumberText: lot_number || undefined },
    manufacturerOrganization: manufacturer_name ? { name: manufacturer_name } : undefined,
  };
}
