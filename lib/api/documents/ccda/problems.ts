import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, coded, instanceId, narrativeLink, nullFlavor, timeInterval, timePoint, uncoded } from "./xml";

type Problem = CcdaInput["chart"]["records"]["problems"][number];

/** Returns the problem list, including resolved problems. */
export function problemsContent({ chart, context }: CcdaInput): SectionContent | null {
  const { problems } = chart.records;
  if (problems.length === 0) return null;
  const rows = problems.map(({ id, data }) => ({
    id: `problem-${id}`,
    cells: [data.description, formatCodes(data), data.status, data.start_date, data.resolved_date, data.synopsis],
  }));
  const columns = ["Problem", "Codes", "Status", "Since", "Resolved", "Synopsis"];
  const root = context.roots.problems;
  return {
    tables: [{ columns, rows }],
    entries: problems.map((entry) => problemConcern(entry, root)),
    from: ["problems"],
  };
}

/** Returns the problems that are not resolved. */
export function healthConcernsContent({ chart, context }: CcdaInput): SectionContent | null {
  const open = chart.records.problems.filter(({ data }) => data.status !== "Resolved");
  if (open.length === 0) return null;
  const rows = open.map(({ id, data }) => ({
    id: `concern-${id}`,
    cells: [data.description, data.status, data.start_date],
  }));
  const root = context.roots.problems;
  return {
    tables: [{ columns: ["Concern", "Status", "Since"], rows }],
    entries: open.map((entry) => healthConcernAct(entry, root)),
    from: ["problems"],
  };
}

function formatCodes({ dx = [] }: Problem["data"]): string {
  const codes = dx.flatMap(({ icd10 = [], snomed }) => [
    ...icd10.map((code) => `ICD-10-CM ${code}`),
    ...(snomed ? [`SNOMED CT ${snomed}`] : []),
  ]);
  return [...new Set(codes)].join(", ");
}

function problemConcern(entry: Problem, root: string): Xml {
  const { id, createdDate, data } = entry;
  const isOpen = data.status !== "Resolved";
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.3", "2015-08-01"),
      id: instanceId(root, id),
      code: coded("ActClass", "CONC", "Concern"),
      statusCode: { "@code": isOpen ? "active" : "completed" },
      effectiveTime: isOpen
        ? timeInterval(createdDate)
        : { low: timePoint(createdDate), high: timePoint(data.resolved_date) },
      entryRelationship: { "@typeCode": "SUBJ", observation: problemObservation(entry, root, `problem-${id}`) },
    },
  };
}

function healthConcernAct(entry: Problem, root: string): Xml {
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.132", "2015-08-01"),
      id: instanceId(root, `${entry.id}-concern`),
      code: coded("LOINC", "75310-3", "Health concerns Document"),
      statusCode: { "@code": "active" },
      effectiveTime: timeInterval(entry.data.start_date),
      entryRelationship: {
        "@typeCode": "REFR",
        observation: problemObservation(entry, root, `concern-${entry.id}`),
      },
    },
  };
}

function problemObservation({ id, data }: Problem, root: string, rowId: string): Xml {
  const { dx = [] } = data;
  const icd10 = [...new Set(dx.flatMap(({ icd10 = [] }) => icd10))].map((code) => coded("ICD-10-CM", code));
  const snomed = dx.find((one) => one.snomed)?.snomed;
  const value = snomed
    ? { ...coded("SNOMED CT", snomed, data.description), originalText: narrativeLink(rowId), translation: icd10 }
    : uncoded(rowId, icd10);
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.4", "2015-08-01"),
    id: instanceId(root, `${id}-observation`),
    code: { ...coded("SNOMED CT", "55607006", "Problem"), translation: coded("LOINC", "75326-9", "Problem") },
    text: narrativeLink(rowId),
    statusCode: { "@code": "completed" },
    effectiveTime: {
      ...timeInterval(data.start_date, data.resolved_date),
      ...(data.status === "Resolved" && !data.resolved_date ? { high: nullFlavor() } : {}),
    },
    value: { "@xsi:type": "CD", ...value },
  };
}
