import { shareableNotes } from "./notes";
import {
  assignedEntity,
  organization,
  personName,
  physicianAuthor,
  softwareAuthor,
  telecom,
  usAddress,
} from "./parties";
import { patientRole } from "./patient";
import type { CcdaInput, Xml } from "./schema";
import { TEMPLATE_DEFINITIONS } from "./templates";
import { ccdaTemplateId, coded, instanceId, nullFlavor, templateId, timePoint } from "./values";

/** Renders the US Realm Header, in the order of the CDA schema. */
export function renderHeader(input: CcdaInput): Xml {
  const { context, chart } = input;
  const { templateIds, loinc, title } = TEMPLATE_DEFINITIONS[context.template];
  return {
    realmCode: { "@code": "US" },
    typeId: { "@root": "2.16.840.1.113883.1.3", "@extension": "POCD_HD000040" },
    templateId: [...ccdaTemplateId("1.1", "2015-08-01"), ...templateIds],
    id: { "@root": context.documentId },
    code: coded("LOINC", ...loinc),
    title: `${title}: ${chart.patient.first_name} ${chart.patient.last_name}`,
    effectiveTime: timePoint(context.now),
    confidentialityCode: coded("Confidentiality", "N", "normal"),
    languageCode: { "@code": "en-US" },
    setId: instanceId(context.roots.documents, context.documentId),
    versionNumber: { "@value": "1" },
    recordTarget: { patientRole: patientRole(input) },
    author: authors(input),
    custodian: {
      assignedCustodian: { representedCustodianOrganization: organization(chart.practice, context) },
    },
    informationRecipient: context.template === "generateReferralNote" ? unknownRecipient() : undefined,
    documentationOf: { serviceEvent: serviceEvent(input) },
    componentOf: context.template === "generateProgressNote" ? encompassingEncounter(input) : undefined,
  };
}

function authors({ chart, context }: CcdaInput): Xml[] {
  const by = (author: Xml) => ({ time: timePoint(context.now), assignedAuthor: author });
  const physician = chart.physician ? [by(physicianAuthor(chart.physician, chart, context))] : [];
  return [...physician, by(softwareAuthor(chart, context))];
}

/** The recipient of a referral is not stored. */
function unknownRecipient(): Xml {
  return {
    intendedRecipient: {
      addr: usAddress({}, "WP"),
      telecom: telecom(null, "WP"),
      informationRecipient: { name: personName([null, null]) },
    },
  };
}

/** The documented care: in the requested period, or from birth until now. */
function serviceEvent({ chart, context }: CcdaInput): Xml {
  const { physician, patient } = chart;
  const performer = physician && {
    "@typeCode": "PRF",
    functionCode: coded("ParticipationFunction", "PCP", "primary care physician"),
    assignedEntity: assignedEntity(physician, chart),
  };
  return {
    "@classCode": "PCPR",
    // Required for progress notes.
    templateId: context.template === "generateProgressNote" ? templateId("2.16.840.1.113883.10.20.21.3.1") : undefined,
    effectiveTime: {
      low: timePoint(context.period.start ?? patient.dob),
      high: timePoint(context.period.end ?? context.now.slice(0, 10)),
    },
    performer: performer ?? undefined,
  };
}

/** The visit of a progress note: the newest one that has a note. Without a note, the time is now. */
function encompassingEncounter(input: CcdaInput): Xml {
  const { context } = input;
  const [note] = shareableNotes(input);
  const physician = input.chart.physicians.get(note?.data.physician ?? 0);
  return {
    encompassingEncounter: {
      id: note ? instanceId(input.context.roots.visit_notes, note.id) : nullFlavor("NI"),
      effectiveTime: { low: timePoint(note ? (note.data.document_date ?? note.createdDate) : context.now) },
      responsibleParty: physician ? { assignedEntity: assignedEntity(physician, input.chart) } : undefined,
      location: { healthCareFacility: { id: instanceId(input.context.roots.practices, input.chart.practice.id) } },
    },
  };
}
