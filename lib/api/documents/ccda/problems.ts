import type { Content, Subject, Xml } from "./schema";
import { absent, coded, consolidated, idOf, point, shownAt, stretch, uncoded } from "./values";

type Problem = Subject["chart"]["records"]["problems"][number];

/** The problem list, resolved ones too. */
export function problemsContent({ chart, making }: Subject): Content | null {
  const { problems } = chart.records;
  if (problems.length === 0) return null;
  const rows = problems.map(({ id, data }) => ({
    id: `problem-${id}`,
    cells: [data.description, codesOf(data), data.status, data.start_date, data.resolved_date, data.synopsis],
  }));
  const columns = ["Problem", "Codes", "Status", "Since", "Resolved", "Synopsis"];
  const root = making.roots.problems;
  return { tables: [{ columns, rows }], entries: problems.map((entry) => concernOf(entry, root)), from: ["problems"] };
}

/** What is to be watched: the problems that go on. */
export function healthConcernsContent({ chart, making }: Subject): Content | null {
  const open = chart.records.problems.filter(({ data }) => data.status !== "Resolved");
  if (open.length === 0) return null;
  const rows = open.map(({ id, data }) => ({
    id: `concern-${id}`,
    cells: [data.description, data.status, data.start_date],
  }));
  const root = making.roots.problems;
  return {
    tables: [{ columns: ["Concern", "Status", "Since"], rows }],
    entries: open.map((entry) => healthConcernOf(entry, root)),
    from: ["problems"],
  };
}

function codesOf({ dx = [] }: Problem["data"]): string {
  const codes = dx.flatMap(({ icd10 = [], snomed }) => [
    ...icd10.map((code) => `ICD-10-CM ${code}`),
    ...(snomed ? [`SNOMED CT ${snomed}`] : []),
  ]);
  return [...new Set(codes)].join(", ");
}

function concernOf(entry: Problem, root: string): Xml {
  const { id, createdDate, data } = entry;
  const isOpen = data.status !== "Resolved";
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: consolidated("4.3", "2015-08-01"),
      id: idOf(root, id),
      code: coded("ActClass", "CONC", "Concern"),
      statusCode: { "@code": isOpen ? "active" : "completed" },
      effectiveTime: isOpen ? stretch(createdDate) : { low: point(createdDate), high: point(data.resolved_date) },
      entryRelationship: { "@typeCode": "SUBJ", observation: observationOf(entry, root, `problem-${id}`) },
    },
  };
}

function healthConcernOf(entry: Problem, root: string): Xml {
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: consolidated("4.132", "2015-08-01"),
      id: idOf(root, `${entry.id}-concern`),
      code: coded("LOINC", "75310-3", "Health concerns Document"),
      statusCode: { "@code": "active" },
      effectiveTime: stretch(entry.data.start_date),
      entryRelationship: {
        "@typeCode": "REFR",
        observation: observationOf(entry, root, `concern-${entry.id}`),
      },
    },
  };
}

function observationOf({ id, data }: Problem, root: string, rowId: string): Xml {
  const { dx = [] } = data;
  const icd10 = [...new Set(dx.flatMap(({ icd10 = [] }) => icd10))].map((code) => coded("ICD-10-CM", code));
  const snomed = dx.find((one) => one.snomed)?.snomed;
  const value = snomed
    ? { ...coded("SNOMED CT", snomed, data.description), originalText: shownAt(rowId), translation: icd10 }
    : uncoded(rowId, icd10);
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: consolidated("4.4", "2015-08-01"),
    id: idOf(root, `${id}-observation`),
    code: { ...coded("SNOMED CT", "55607006", "Problem"), translation: coded("LOINC", "75326-9", "Problem") },
    text: shownAt(rowId),
    statusCode: { "@code": "completed" },
    effectiveTime: {
      ...stretch(data.start_date, data.resolved_date),
      ...(data.status === "Resolved" && !data.resolved_date ? { high: absent() } : {}),
    },
    value: { "@xsi:type": "CD", ...value },
  };
}
