import type { Allergy, DrugIntolerance, Entry } from "@/lib/api/documents/chart/schema";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import {
  ccdaTemplateId,
  coded,
  hl7Timestamp,
  instanceId,
  narrativeLink,
  nullFlavor,
  timeInterval,
  timePoint,
  uncoded,
} from "./xml";

interface Intolerance {
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
/** SNOMED CT codes. */
const SEVERITIES = { mild: "255604002", moderate: "6736007", severe: "24484000" } as const;
const SEVERITY_WORDS = ["mild", "moderate", "severe"] as const;

/** Allergies and intolerances, or that the patient has none. */
export function allergiesContent({ chart, context }: CcdaInput): SectionContent | null {
  const { allergies, allergyDocumentation, drugIntolerances } = chart.records;
  const found = [
    ...allergies.map((entry) => fromAllergy(entry, context.roots.allergies)),
    ...drugIntolerances.map((entry) => fromDrugIntolerance(entry, context.roots.drug_intolerances)),
  ];
  const from = ["allergies", "drugIntolerances"] as const;
  if (found.length > 0) return { tables: [allergyTable(found)], entries: found.map(concernAct), from };
  const [asked] = allergyDocumentation;
  return asked ? noKnownAllergies(asked, context.roots.allergy_documentation) : null;
}

function fromAllergy({ id, createdDate, data }: Entry<Allergy>, root: string): Intolerance {
  return {
    rowId: `allergy-${id}`,
    root,
    id,
    createdDate,
    name: data.name ?? "",
    reaction: data.reaction ?? "",
    severity: data.severity === "unknown" ? undefined : data.severity,
    since: data.start_date,
    isActive: data.status !== "Inactive",
    kind: coded("SNOMED CT", "419199007", "Allergy to substance"),
    kindName: "Allergy",
  };
}

function fromDrugIntolerance({ id, createdDate, data }: Entry<DrugIntolerance>, root: string): Intolerance {
  return {
    rowId: `intolerance-${id}`,
    root,
    id,
    createdDate,
    name: data.name ?? "",
    reaction: data.reaction ?? "",
    severity: SEVERITY_WORDS.find((word) => SEVERITIES[word] === data.severity),
    since: data.start_date,
    isActive: data.status !== 2,
    kind: coded("SNOMED CT", "59037007", "Intolerance to drug"),
    kindName: "Drug intolerance",
  };
}

function allergyTable(found: readonly Intolerance[]) {
  return {
    columns: ["Substance", "Type", "Reaction", "Severity", "Since", "Status"],
    rows: found.map(({ rowId, name, kindName, reaction, severity, since, isActive }) => ({
      id: rowId,
      cells: [name, kindName, reaction, severity, since, isActive ? "Active" : "Inactive"],
    })),
  };
}

function concernAct(found: Intolerance): Xml {
  const { root, id, isActive, createdDate } = found;
  return {
    act: {
      "@classCode": "ACT",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.30", "2015-08-01"),
      id: instanceId(root, id),
      code: coded("ActClass", "CONC", "Concern"),
      statusCode: { "@code": isActive ? "active" : "completed" },
      // When it was recorded. When it ended is not stored.
      effectiveTime: isActive ? timeInterval(createdDate) : { low: timePoint(createdDate), high: nullFlavor() },
      entryRelationship: { "@typeCode": "SUBJ", observation: allergyObservation(found) },
    },
  };
}

function allergyObservation({ rowId, root, id, since, kind, name, reaction, severity }: Intolerance): Xml {
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.7", "2014-06-09"),
    id: instanceId(root, `${id}-observation`),
    code: coded("ActCode", "ASSERTION", "Assertion"),
    text: narrativeLink(rowId),
    statusCode: { "@code": "completed" },
    effectiveTime: { low: timePoint(since) },
    value: { "@xsi:type": "CD", ...kind },
    participant: substanceParticipant(uncoded(rowId), name),
    // Severity belongs to the reaction if there is one.
    entryRelationship: reaction
      ? {
          "@typeCode": "MFST",
          "@inversionInd": "true",
          observation: reactionObservation({ root, id, reaction, severity }),
        }
      : severityRelationship(severity),
  };
}

function substanceParticipant(code: Xml, name?: string): Xml {
  const entity = { "@classCode": "MMAT", code, name };
  return { "@typeCode": "CSM", participantRole: { "@classCode": "MANU", playingEntity: entity } };
}

function reactionObservation({
  root,
  id,
  reaction,
  severity,
}: Pick<Intolerance, "root" | "id" | "reaction" | "severity">): Xml {
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.9", "2014-06-09"),
    id: instanceId(root, `${id}-reaction`),
    code: coded("ActCode", "ASSERTION", "Assertion"),
    statusCode: { "@code": "completed" },
    value: { "@xsi:type": "CD", ...nullFlavor("OTH"), originalText: reaction },
    entryRelationship: severityRelationship(severity),
  };
}

function severityRelationship(severity: Severity | undefined): Xml | undefined {
  if (severity === undefined) return undefined;
  const observation = {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.8", "2014-06-09"),
    code: coded("ActCode", "SEV", "Severity"),
    statusCode: { "@code": "completed" },
    value: { "@xsi:type": "CD", ...coded("SNOMED CT", SEVERITIES[severity], severity) },
  };
  return { "@typeCode": "SUBJ", "@inversionInd": "true", observation };
}

/** Returns "No known allergies": a negated allergy to any substance. */
function noKnownAllergies({ id, createdDate }: Entry<object>, root: string): SectionContent {
  const rowId = `no-known-allergies-${id}`;
  const observation = {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    "@negationInd": "true",
    templateId: ccdaTemplateId("4.7", "2014-06-09"),
    id: instanceId(root, `${id}-observation`),
    code: coded("ActCode", "ASSERTION", "Assertion"),
    text: narrativeLink(rowId),
    statusCode: { "@code": "completed" },
    effectiveTime: { low: timePoint(createdDate) },
    value: { "@xsi:type": "CD", ...coded("SNOMED CT", "419199007", "Allergy to substance") },
    participant: substanceParticipant(nullFlavor("NA")),
  };
  const act = {
    "@classCode": "ACT",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.30", "2015-08-01"),
    id: instanceId(root, id),
    code: coded("ActClass", "CONC", "Concern"),
    statusCode: { "@code": "active" },
    effectiveTime: timeInterval(createdDate),
    entryRelationship: { "@typeCode": "SUBJ", observation },
  };
  const recorded = hl7Timestamp(createdDate) ? createdDate.slice(0, 10) : "";
  const rows = [{ id: rowId, cells: ["No known allergies", recorded] }];
  return { tables: [{ columns: ["Allergies", "Documented"], rows }], entries: [{ act }] };
}
