import { drugNameOf, endOfMedication, quantityOf } from "@/lib/api/documents/chart/rules";
import type { Drug } from "@/lib/api/documents/chart/schema";
import type { Content, Subject, Xml } from "./schema";
import { absent, coded, consolidated, idOf, shownAt, stretch, uncoded } from "./values";

type Medication = Subject["chart"]["records"]["medications"][number];

/** What the patient takes, and what was ended. */
export function medicationsContent({ chart, making }: Subject): Content | null {
  const { medications } = chart.records;
  if (medications.length === 0) return null;
  const today = making.now.slice(0, 10);
  const courses = medications.map((entry) => {
    const until = endOfMedication(chart.records, entry);
    const hasEnded = entry.data.medication_type === "discontinued" || (until !== null && until <= today);
    return { entry, until, hasEnded, name: drugNameOf(entry.data.medication ?? {}) };
  });
  const rows = courses.map(({ entry: { id, data }, until, hasEnded, name }) => ({
    id: `medication-${id}`,
    cells: [
      ...[
        name,
        data.directions && { id: `directions-${id}`, text: data.directions },
        quantityOf(data),
        data.start_date,
        until,
        hasEnded ? "Ended" : "Active",
      ],
      data.medication_type === "otc" ? "Over the counter" : "Prescription",
    ],
  }));
  const columns = ["Medication", "Directions", "Quantity", "Since", "Until", "Status", "Type"];
  const root = making.roots.medications;
  return {
    tables: [{ columns, rows }],
    entries: courses.map(({ entry, until, hasEnded }) => activityOf(entry, { root, until, hasEnded })),
    from: ["medications"],
  };
}

function activityOf(
  { id, data }: Medication,
  { root, until, hasEnded }: { root: string; until: string | null; hasEnded: boolean },
): Xml {
  const rowId = `medication-${id}`;
  return {
    substanceAdministration: {
      "@classCode": "SBADM",
      "@moodCode": "INT",
      templateId: consolidated("4.16", "2014-06-09"),
      id: idOf(root, id),
      text: shownAt(rowId),
      statusCode: { "@code": hasEnded ? "completed" : "active" },
      effectiveTime: {
        "@xsi:type": "IVL_TS",
        ...stretch(data.start_date, until),
        ...(hasEnded && !until ? { high: absent() } : {}),
      },
      // The dose is part of the directions, in words.
      doseQuantity: absent(),
      consumable: { manufacturedProduct: productOf(rowId, data.medication ?? {}) },
      entryRelationship: data.directions
        ? { "@typeCode": "COMP", substanceAdministration: directionsOf(`directions-${id}`) }
        : undefined,
    },
  };
}

function productOf(rowId: string, { rxnorm_cuis = [], ndcs = [], name }: Drug): Xml {
  const [cui] = rxnorm_cuis;
  const translation = ndcs.slice(0, 1).map((ndc) => coded("NDC", ndc));
  const code = cui
    ? { ...coded("RxNorm", cui, name), originalText: shownAt(rowId), translation }
    : uncoded(rowId, translation);
  return {
    "@classCode": "MANU",
    templateId: consolidated("4.23", "2014-06-09"),
    manufacturedMaterial: { code },
  };
}

/** The directions as they were written (Medication Free Text Sig). */
function directionsOf(cellId: string): Xml {
  return {
    "@classCode": "SBADM",
    "@moodCode": "INT",
    templateId: consolidated("4.147"),
    code: coded("LOINC", "76662-6", "Instructions Medication"),
    text: shownAt(cellId),
    consumable: { manufacturedProduct: { manufacturedLabeledDrug: absent("NA") } },
  };
}
