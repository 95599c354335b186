import type { Allergy, DrugIntolerance, Entry } from "@/lib/api/documents/chart/schema";
import type { Content, Subject, Xml } from "./schema";
import { absent, coded, consolidated, idOf, point, shownAt, stampOf, stretch, uncoded } from "./values";

interface Reaction {
  rowId: string;
  root: string;
  id: number;
  name: string;
  reaction: string;
  severity: Severity | undefined;
  since: string | null | undefined;
  createdDate: string;
  isActive: boolean;
  kind: Xml;
  kindName: string;
}

type Severity = keyof typeof SEVERITIES;
const SEVERITIES = { mild: "255604002", moderate: "6736007", severe: "24484000" } as const;

/** Allergies and intolerances, or that the patient was asked and has none. */
export function allergiesContent({ chart, making }: Subject): Content | null {
  const { allergies, allergyDocumentation, drugIntolerances } = chart.records;
  const found = [
    ...allergies.map((entry) => ofAllergy(entry, making.roots.allergies)),
    ...drugIntolerances.map((entry) => ofIntolerance(entry, making.roots.drug_intolerances)),
  ];
  const from = ["allergies", "drugIntolerances"] as const;
  if (found.length > 0) return { tables: [tableOf(found)], entries: found.map(concernOf), from };
  const [asked] = allergyDocumentation;
  return asked ? noneKnown(asked, making.roots.allergy_documentation) : null;
}

function ofAllergy({ id, createdDate, data }: Entry<Allergy>, root: string): Reaction {
  return {
    ...{ rowId: `allergy-${id}`, root, id, createdDate, name: data.name ?? "", reaction: data.reaction ?? "" },
    severity: data.severity === "unknown" ? undefined : data.severity,
    since: data.start_date,
    isActive: data.status !== "Inactive",
    kind: coded("SNOMED CT", "419199007", "Allergy to substance"),
    kindName: "Allergy",
  };
}

function ofIntolerance({ id, createdDate, data }: Entry<DrugIntolerance>, root: string): Reaction {
  const severities = Object.keys(SEVERITIES) as Severity[];
  return {
    ...{ rowId: `intolerance-${id}`, root, id, createdDate, name: data.name ?? "", reaction: data.reaction ?? "" },
    severity: severities.find((word) => SEVERITIES[word] === data.severity),
    since: data.start_date,
    isActive: data.status !== 2,
    kind: coded("SNOMED CT", "59037007", "Intolerance to drug"),
    kindName: "Drug intolerance",
  };
}

function tableOf(found: readonly Reaction[]) {
  return {
    columns: ["Substance", "Type", "Reaction", "Severity", "Since", "Status"],
    rows: found.map(({ rowId, name, kindName, reaction, severity, since, isActive }) => ({
      id: rowId,
      cells: [name, kindName, reaction, severity, since, isActive ? "Active" : "Inactive"],
    })),
  };
}

function concernOf(found: Reaction): Xml {
  const { root, id, isActive, createdDate } = found;
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: consolidated("4.30", "2015-08-01"),
      id: idOf(root, id),
      code: coded("ActClass", "CONC", "Concern"),
      statusCode: { "@code": isActive ? "active" : "completed" },
      // Since when it is followed here; when it ended is kept nowhere.
      effectiveTime: isActive ? stretch(createdDate) : { low: point(createdDate), high: absent() },
      entryRelationship: { "@typeCode": "SUBJ", observation: observationOf(found) },
    },
  };
}

function observationOf({ rowId, root, id, since, kind, name, reaction, severity }: Reaction): Xml {
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: consolidated("4.7", "2014-06-09"),
    id: idOf(root, `${id}-observation`),
    code: coded("ActCode", "ASSERTION", "Assertion"),
    text: shownAt(rowId),
    statusCode: { "@code": "completed" },
    effectiveTime: { low: point(since) },
    value: { "@xsi:type": "CD", ...kind },
    participant: substanceOf(uncoded(rowId), name),
    // How severe it is is said of the reaction, where there is one.
    entryRelationship: reaction
      ? { "@typeCode": "MFST", "@inversionInd": "true", observation: reactionOf({ root, id, reaction, severity }) }
      : severityOf(severity),
  };
}

function substanceOf(code: Xml, name?: string): Xml {
  const entity = { "@classCode": "MMAT", code, name };
  return { "@typeCode": "CSM", participantRole: { "@classCode": "MANU", playingEntity: entity } };
}

function reactionOf({ root, id, reaction, severity }: Pick<Reaction, "root" | "id" | "reaction" | "severity">): Xml {
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: consolidated("4.9", "2014-06-09"),
    id: idOf(root, `${id}-reaction`),
    code: coded("ActCode", "ASSERTION", "Assertion"),
    statusCode: { "@code": "completed" },
    value: { "@xsi:type": "CD", ...absent("OTH"), originalText: reaction },
    entryRelationship: severityOf(severity),
  };
}

function severityOf(severity: Severity | undefined): Xml | undefined {
  if (severity === undefined) return undefined;
  const observation = {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: consolidated("4.8", "2014-06-09"),
    code: coded("ActCode", "SEV", "Severity"),
    statusCode: { "@code": "completed" },
    value: { "@xsi:type": "CD", ...coded("SNOMED CT", SEVERITIES[severity], severity) },
  };
  return { "@typeCode": "SUBJ", "@inversionInd": "true", observation };
}

/** "No known allergies": an allergy to any substance, negated. */
function noneKnown({ id, createdDate }: Entry<object>, root: string): Content {
  const rowId = `no-known-allergies-${id}`;
  const observation = {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    "@negationInd": "true",
    templateId: consolidated("4.7", "2014-06-09"),
    id: idOf(root, `${id}-observation`),
    code: coded("ActCode", "ASSERTION", "Assertion"),
    text: shownAt(rowId),
    statusCode: { "@code": "completed" },
    effectiveTime: { low: point(createdDate) },
    value: { "@xsi:type": "CD", ...coded("SNOMED CT", "419199007", "Allergy to substance") },
    participant: substanceOf(absent("NA")),
  };
  const act = {
    "@classCode": "ACT",
    "@moodCode": "EVN",
    templateId: consolidated("4.30", "2015-08-01"),
    id: idOf(root, id),
    code: coded("ActClass", "CONC", "Concern"),
    statusCode: { "@code": "active" },
    effectiveTime: stretch(createdDate),
    entryRelationship: { "@typeCode": "SUBJ", observation },
  };
  const recorded = stampOf(createdDate) ? createdDate.slice(0, 10) : "";
  const rows = [{ id: rowId, cells: ["No known allergies", recorded] }];
  return { tables: [{ columns: ["Allergies", "Documented"], rows }], entries: [{ act }] };
}
