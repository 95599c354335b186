import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, coded, instanceId, narrativeLink, nullFlavor, timePoint } from "./xml";

type History = CcdaInput["chart"]["records"]["histories"][number];

/** Types of histories for the section about social history. */
const SOCIAL = ["Social", "Habits", "Diet", "Exercise", "Legal"];

const selectHistories = ({ chart }: CcdaInput, types: readonly string[]) =>
  chart.records.histories.filter(({ data }) => data.type !== undefined && types.includes(data.type));

/** Returns a section with the histories of these types, without coded entries. */
export function historiesContent(types: readonly string[]): (input: CcdaInput) => SectionContent | null {
  return (input) => {
    const found = selectHistories(input, types);
    return found.length > 0 ? { tables: [historyTable(found)], from: ["histories"] } : null;
  };
}

export function socialHistoryContent(input: CcdaInput): SectionContent | null {
  const found = selectHistories(input, SOCIAL);
  if (found.length === 0) return null;
  const root = input.context.roots.histories;
  return {
    tables: [historyTable(found)],
    entries: found.map((entry) => socialHistoryObservation(entry, root)),
    from: ["histories"],
  };
}

function historyTable(found: readonly History[]) {
  const rows = found.map(({ id, createdDate, data }) => ({
    id: `history-${id}`,
    cells: [data.type, data.text, createdDate.slice(0, 10)],
  }));
  return { columns: ["Kind", "History", "Recorded"], rows };
}

function socialHistoryObservation({ id, createdDate, data }: History, root: string): Xml {
  return {
    observation: {
      "@classCode": "OBS",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.38", "2015-08-01"),
      id: instanceId(root, id),
      code: { ...coded("LOINC", "8689-2", "History of Social function"), originalText: data.type },
      text: narrativeLink(`history-${id}`),
      statusCode: { "@code": "completed" },
      effectiveTime: timePoint(createdDate),
      value: { "@xsi:type": "ST", "#": data.text ?? "" },
    },
  };
}

/** HL7 codes of relatives. Others are given in words. */
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

/** Diseases in the family, from family histories and from histories of type Family. */
export function familyHistoryContent(input: CcdaInput): SectionContent | null {
  const { familyHistories } = input.chart.records;
  const written = selectHistories(input, ["Family"]);
  if (familyHistories.length + written.length === 0) return null;
  const rows = familyHistories.map(({ id, data }) => ({ id: `family-${id}`, cells: [data.relationship, data.text] }));
  const root = input.context.roots.family_histories;
  return {
    tables: [{ columns: ["Relative", "Disease"], rows }, historyTable(written)],
    entries: familyHistories.map((entry) => familyMemberOrganizer(entry, root)),
    from: ["familyHistories", "histories"],
  };
}

function familyMemberOrganizer(
  { id, createdDate, data }: CcdaInput["chart"]["records"]["familyHistories"][number],
  root: string,
): Xml {
  const relative = data.relationship ?? "Other";
  const code = RELATIVES[relative];
  const value = data.snomed_code
    ? coded("SNOMED CT", data.snomed_code, data.text)
    : { ...nullFlavor("OTH"), originalText: narrativeLink(`family-${id}`) };
  return {
    organizer: {
      "@classCode": "CLUSTER",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.45", "2015-08-01"),
      id: instanceId(root, id),
      statusCode: { "@code": "completed" },
      subject: {
        relatedSubject: {
          "@classCode": "PRS",
          code: code ? coded("RoleCode", code, relative) : { ...nullFlavor("OTH"), originalText: relative },
        },
      },
      component: {
        observation: {
          "@classCode": "OBS",
          "@moodCode": "EVN",
          templateId: ccdaTemplateId("4.46", "2015-08-01"),
          id: instanceId(root, `${id}-observation`),
          code: {
            ...coded("SNOMED CT", "64572001", "Condition"),
            translation: coded("LOINC", "75315-2", "Condition Family member"),
          },
          text: narrativeLink(`family-${id}`),
          statusCode: { "@code": "completed" },
          effectiveTime: timePoint(createdDate),
          value: { "@xsi:type": "CD", ...value },
        },
      },
    },
  };
}
