import { formatDrugName, formatQuantity, medicationEndDate } from "@/lib/api/documents/chart/format";
import type { Drug } from "@/lib/api/documents/chart/schema";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, coded, instanceId, narrativeLink, nullFlavor, timeInterval, uncoded } from "./xml";

type Medication = CcdaInput["chart"]["records"]["medications"][number];

/** Returns current and ended medications. */
export function medicationsContent({ chart, context }: CcdaInput): SectionContent | null {
  const { medications } = chart.records;
  if (medications.length === 0) return null;
  const today = context.now.slice(0, 10);
  const courses = medications.map((entry) => {
    const until = medicationEndDate(chart.records, entry);
    const hasEnded = until !== null && until <= today;
    return { entry, until, hasEnded, name: formatDrugName(entry.data.medication ?? {}) };
  });
  const rows = courses.map(({ entry: { id, data }, until, hasEnded, name }) => ({
    id: `medication-${id}`,
    cells: [
      name,
      data.directions && { id: `directions-${id}`, text: data.directions },
      formatQuantity(data),
      data.start_date,
      until,
      hasEnded ? "Ended" : "Active",
      data.medication_type === "otc" ? "Over the counter" : "Prescription",
    ],
  }));
  const columns = ["Medication", "Directions", "Quantity", "Since", "Until", "Status", "Type"];
  const root = context.roots.medications;
  return {
    tables: [{ columns, rows }],
    entries: courses.map(({ entry, until, hasEnded }) => medicationActivity(entry, { root, until, hasEnded })),
    from: ["medications"],
  };
}

function medicationActivity(
  { id, data }: Medication,
  { root, until, hasEnded }: { root: string; until: string | null; hasEnded: boolean },
): Xml {
  const rowId = `medication-${id}`;
  return {
    substanceAdministration: {
      "@classCode": "SBADM",
      "@moodCode": "INT",
      templateId: ccdaTemplateId("4.16", "2014-06-09"),
      id: instanceId(root, id),
      text: narrativeLink(rowId),
      statusCode: { "@code": hasEnded ? "completed" : "active" },
      effectiveTime: {
        "@xsi:type": "IVL_TS",
        ...timeInterval(data.start_date, until),
        ...(hasEnded && !until ? { high: nullFlavor() } : {}),
      },
      // The dose is part of the directions.
      doseQuantity: nullFlavor(),
      consumable: { manufacturedProduct: medicationProduct(rowId, data.medication ?? {}) },
      entryRelationship: data.directions
        ? { "@typeCode": "COMP", substanceAdministration: freeTextDirections(`directions-${id}`) }
        : undefined,
    },
  };
}

function medicationProduct(rowId: string, { rxnorm_cuis = [], ndcs = [], name }: Drug): Xml {
  const [cui] = rxnorm_cuis;
  const translation = ndcs.slice(0, 1).map((ndc) => coded("NDC", ndc));
  const code = cui
    ? { ...coded("RxNorm", cui, name), originalText: narrativeLink(rowId), translation }
    : uncoded(rowId, translation);
  return {
    "@classCode": "MANU",
    templateId: ccdaTemplateId("4.23", "2014-06-09"),
    manufacturedMaterial: { code },
  };
}

/** Returns the directions as entered (Medication Free Text Sig). */
function freeTextDirections(cellId: string): Xml {
  return {
    "@classCode": "SBADM",
    "@moodCode": "INT",
    templateId: ccdaTemplateId("4.147"),
    code: coded("LOINC", "76662-6", "Instructions Medication"),
    text: narrativeLink(cellId),
    consumable: { manufacturedProduct: { manufacturedLabeledDrug: nullFlavor("NA") } },
  };
}
