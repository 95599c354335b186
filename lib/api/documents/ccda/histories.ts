import type { Content, Subject, Xml } from "./schema";
import { absent, coded, consolidated, idOf, point, shownAt } from "./values";

type History = Subject["chart"]["records"]["histories"][number];

/** Kinds of histories that are about how somebody lives. */
const SOCIAL = ["Social", "Habits", "Diet", "Exercise", "Legal"];

const historiesOf = ({ chart }: Subject, types: readonly string[]) =>
  chart.records.histories.filter(({ data }) => data.type !== undefined && types.includes(data.type));

/** A section of what was written down under these kinds, to be read. */
export function historiesContent(types: readonly string[]): (subject: Subject) => Content | null {
  return (subject) => {
    const found = historiesOf(subject, types);
    return found.length > 0 ? { tables: [tableOf(found)], from: ["histories"] } : null;
  };
}

export function socialHistoryContent(subject: Subject): Content | null {
  const found = historiesOf(subject, SOCIAL);
  if (found.length === 0) return null;
  const root = subject.making.roots.histories;
  return {
    tables: [tableOf(found)],
    entries: found.map((entry) => socialObservationOf(entry, root)),
    from: ["histories"],
  };
}

function tableOf(found: readonly History[]) {
  const rows = found.map(({ id, createdDate, data }) => ({
    id: `history-${id}`,
    cells: [data.type, data.text, createdDate.slice(0, 10)],
  }));
  return { columns: ["Kind", "History", "Recorded"], rows };
}

function socialObservationOf({ id, createdDate, data }: History, root: string): Xml {
  return {
    observation: {
      "@classCode": "OBS",
      "@moodCode": "EVN",
      templateId: consolidated("4.38", "2015-08-01"),
      id: idOf(root, id),
      code: { ...coded("LOINC", "8689-2", "History of Social function"), originalText: data.type },
      text: shownAt(`history-${id}`),
      statusCode: { "@code": "completed" },
      effectiveTime: point(createdDate),
      value: { "@xsi:type": "ST", "#": data.text ?? "" },
    },
  };
}

/** HL7's words for a relative, seen from the patient; those it has no code for here are told in words. */
const RELATIVES: Readonly<Record<string, string>> = {
  Aunt: "AUNT",
  Brother: "BRO",
  Daughter: "DAUC",
  Father: "FTH",
  Grandfather: "GRFTH",
  Grandmother: "GRMTH",
  Mother: "MTH",
  Sister: "SIS",
  Son: "SONC",
  Uncle: "UNCLE",
};

/** Diseases in the family, and what was written about it under histories. */
export function familyHistoryContent(subject: Subject): Content | null {
  const { familyHistories } = subject.chart.records;
  const written = historiesOf(subject, ["Family"]);
  if (familyHistories.length + written.length === 0) return null;
  const rows = familyHistories.map(({ id, data }) => ({ id: `family-${id}`, cells: [data.relationship, data.text] }));
  const root = subject.making.roots.family_histories;
  return {
    tables: [{ columns: ["Relative", "Disease"], rows }, tableOf(written)],
    entries: familyHistories.map((entry) => relativeOf(entry, root)),
    from: ["familyHistories", "histories"],
  };
}

function relativeOf(
  { id, createdDate, data }: Subject["chart"]["records"]["familyHistories"][number],
  root: string,
): Xml {
  const relative = data.relationship ?? "Other";
  const code = RELATIVES[relative];
  const value = data.snomed_code
    ? coded("SNOMED CT", data.snomed_code, data.text)
    : { ...absent("OTH"), originalText: shownAt(`family-${id}`) };
  return {
    organizer: {
      "@classCode": "CLUSTER",
      "@moodCode": "EVN",
      templateId: consolidated("4.45", "2015-08-01"),
      id: idOf(root, id),
      statusCode: { "@code": "completed" },
      subject: {
        relatedSubject: {
          "@classCode": "PRS",
          code: code ? coded("RoleCode", code, relative) : { ...absent("OTH"), originalText: relative },
        },
      },
      component: {
        observation: {
          "@classCode": "OBS",
          "@moodCode": "EVN",
          templateId: consolidated("4.46", "2015-08-01"),
          id: idOf(root, `${id}-observation`),
          code: {
            ...coded("SNOMED CT", "64572001", "Condition"),
            translation: coded("LOINC", "75315-2", "Condition Family member"),
          },
          text: shownAt(`family-${id}`),
          statusCode: { "@code": "completed" },
          effectiveTime: point(createdDate),
          value: { "@xsi:type": "CD", ...value },
        },
      },
    },
  };
}
