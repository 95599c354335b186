import { formatVitalSign, listVitalSigns, measuredAt, type VitalSign } from "@/lib/api/documents/chart/format";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, coded, instanceId, narrativeLink, timePoint } from "./xml";

type VitalsEntry = CcdaInput["chart"]["records"]["vitals"][number];

/** No real chart has more, but a single record can hold thousands. Rendering this many takes a fraction of a second. */
const MAX_SIGNS = 5_000;

/** Returns vital signs, one cluster for each record. */
export function vitalSignsContent({ chart, context }: CcdaInput): SectionContent | null {
  const all = chart.records.vitals
    .map((entry) => ({ entry, at: measuredAt(entry), signs: listVitalSigns(entry.data) }))
    .filter(({ signs }) => signs.length > 0);
  if (all.length === 0) return null;
  let room = MAX_SIGNS;
  const taken = all.flatMap(({ signs, ...one }) => {
    const shown = signs.slice(0, Math.max(0, room));
    room -= signs.length;
    return shown.length > 0 ? [{ ...one, signs: shown }] : [];
  });
  const rows = taken.flatMap(({ entry, at, signs }) =>
    signs.map((sign, index) => ({
      id: `vital-${entry.id}-${index + 1}`,
      cells: [at.slice(0, 10), sign.name, formatVitalSign(sign)],
    })),
  );
  const root = context.roots.vitals;
  return {
    tables: [{ columns: ["Date", "Sign", "Value"], rows }],
    entries: taken.filter(({ signs }) => signs.some(isNumeric)).map((one) => vitalSignsOrganizer(one, root)),
    paragraphs: room < 0 ? [`Only the newest ${MAX_SIGNS} vital signs are shown.`] : [],
    from: ["vitals"],
  };
}

const isNumeric = ({ value }: VitalSign) => /^-?\d+(\.\d+)?$/.test(value);

function vitalSignsOrganizer(
  { entry, at, signs }: { entry: VitalsEntry; at: string; signs: VitalSign[] },
  root: string,
): Xml {
  const components = signs.flatMap((sign, index) =>
    isNumeric(sign) ? [{ observation: vitalSignObservation(sign, { entry, at, root, number: index + 1 }) }] : [],
  );
  return {
    organizer: {
      "@classCode": "CLUSTER",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.26", "2015-08-01"),
      id: instanceId(root, entry.id),
      code: {
        ...coded("SNOMED CT", "46680005", "Vital signs"),
        translation: coded(
          "LOINC",
          "74728-7",
          "Vital signs, weight, height, head circumference, oxygen saturation and BMI panel",
        ),
      },
      statusCode: { "@code": "completed" },
      effectiveTime: timePoint(at),
      component: components,
    },
  };
}

function vitalSignObservation(
  { loinc, name, value, unit }: VitalSign,
  { entry, at, root, number }: { entry: VitalsEntry; at: string; root: string; number: number },
): Xml {
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.27", "2014-06-09"),
    id: instanceId(root, `${entry.id}-${number}`),
    code: coded("LOINC", loinc, name),
    text: narrativeLink(`vital-${entry.id}-${number}`),
    statusCode: { "@code": "completed" },
    effectiveTime: timePoint(at),
    value: { "@xsi:type": "PQ", "@value": value, "@unit": unit },
  };
}
