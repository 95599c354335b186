import { type Sign, shownSign, signsOf, takenAt } from "@/lib/api/documents/chart/rules";
import type { Content, Subject, Xml } from "./schema";
import { coded, consolidated, idOf, point, shownAt } from "./values";

type Taken = Subject["chart"]["records"]["vitals"][number];

/** So many are written in a fraction of a second. No chart comes near, but one taking may hold thousands. */
const MOST_SIGNS = 5_000;

/** The vital signs, a cluster for each time they were taken. */
export function vitalSignsContent({ chart, making }: Subject): Content | null {
  const all = chart.records.vitals
    .map((entry) => ({ entry, at: takenAt(entry), signs: signsOf(entry.data) }))
    .filter(({ signs }) => signs.length > 0);
  if (all.length === 0) return null;
  let room = MOST_SIGNS;
  const taken = all.flatMap(({ signs, ...one }) => {
    const shown = signs.slice(0, Math.max(0, room));
    room -= signs.length;
    return shown.length > 0 ? [{ ...one, signs: shown }] : [];
  });
  const rows = taken.flatMap(({ entry, at, signs }) =>
    signs.map((sign, index) => ({
      id: `vital-${entry.id}-${index + 1}`,
      cells: [at.slice(0, 10), sign.name, shownSign(sign)],
    })),
  );
  const root = making.roots.vitals;
  return {
    tables: [{ columns: ["Date", "Sign", "Value"], rows }],
    entries: taken.filter(({ signs }) => signs.some(isNumeric)).map((one) => organizerOf(one, root)),
    paragraphs: room < 0 ? [`Only the newest ${MOST_SIGNS} vital signs are shown.`] : [],
    from: ["vitals"],
  };
}

const isNumeric = ({ value }: Sign) => /^-?\d+(\.\d+)?$/.test(value);

function organizerOf({ entry, at, signs }: { entry: Taken; at: string; signs: Sign[] }, root: string): Xml {
  const components = signs.flatMap((sign, index) =>
    isNumeric(sign) ? [{ observation: observationOf(sign, { entry, at, root, number: index + 1 }) }] : [],
  );
  return {
    organizer: {
      "@classCode": "CLUSTER",
      "@moodCode": "EVN",
      templateId: consolidated("4.26", "2015-08-01"),
      id: idOf(root, entry.id),
      code: {
        ...coded("SNOMED CT", "46680005", "Vital signs"),
        translation: coded(
          "LOINC",
          "74728-7",
          "Vital signs, weight, height, head circumference, oxygen saturation and BMI panel",
        ),
      },
      statusCode: { "@code": "completed" },
      effectiveTime: point(at),
      component: components,
    },
  };
}

function observationOf(
  { loinc, name, value, unit }: Sign,
  { entry, at, root, number }: { entry: Taken; at: string; root: string; number: number },
): Xml {
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: consolidated("4.27", "2014-06-09"),
    id: idOf(root, `${entry.id}-${number}`),
    code: coded("LOINC", loinc, name),
    text: shownAt(`vital-${entry.id}-${number}`),
    statusCode: { "@code": "completed" },
    effectiveTime: point(at),
    value: { "@xsi:type": "PQ", "@value": value, "@unit": unit },
  };
}
