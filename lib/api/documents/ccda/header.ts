import { notesOf } from "./notes";
import {
  addressOf,
  organisationOf,
  personNameOf,
  phoneOf,
  physicianAuthorOf,
  physicianEntityOf,
  serverAuthorOf,
} from "./parties";
import { patientOf } from "./patient";
import type { Subject, Xml } from "./schema";
import { TEMPLATE_RULES } from "./templates";
import { absent, coded, consolidated, idOf, point, template } from "./values";

/** The US Realm Header of a document, in the order of the CDA schema. */
export function headerOf(subject: Subject): Xml {
  const { making, chart } = subject;
  const { mark, loinc, title } = TEMPLATE_RULES[making.template];
  return {
    realmCode: { "@code": "US" },
    typeId: { "@root": "2.16.840.1.113883.1.3", "@extension": "POCD_HD000040" },
    templateId: [...consolidated("1.1", "2015-08-01"), ...mark],
    id: { "@root": making.documentId },
    code: coded("LOINC", ...loinc),
    title: `${title}: ${chart.patient.first_name} ${chart.patient.last_name}`,
    effectiveTime: point(making.now),
    confidentialityCode: coded("Confidentiality", "N", "normal"),
    languageCode: { "@code": "en-US" },
    setId: idOf(making.roots.documents, making.documentId),
    versionNumber: { "@value": "1" },
    recordTarget: { patientRole: patientOf(subject) },
    author: authorsOf(subject),
    custodian: {
      assignedCustodian: { representedCustodianOrganization: organisationOf(chart.practice, making) },
    },
    informationRecipient: making.template === "generateReferralNote" ? recipientOf() : undefined,
    documentationOf: { serviceEvent: serviceOf(subject) },
    componentOf: making.template === "generateProgressNote" ? visitOf(subject) : undefined,
  };
}

function authorsOf({ chart, making }: Subject): Xml[] {
  const by = (author: Xml) => ({ time: point(making.now), assignedAuthor: author });
  const physician = chart.physician ? [by(physicianAuthorOf(chart.physician, chart, making))] : [];
  return [...physician, by(serverAuthorOf(chart, making))];
}

/** To whom the patient is referred is kept nowhere: whoever is handed the document. */
function recipientOf(): Xml {
  return {
    intendedRecipient: {
      addr: addressOf({}, "WP"),
      telecom: phoneOf(null, "WP"),
      informationRecipient: { name: personNameOf([null, null]) },
    },
  };
}

/** The care that is documented: in the period asked for, or the patient's life until now. */
function serviceOf({ chart, making }: Subject): Xml {
  const { physician, patient } = chart;
  const performer = physician && {
    "@typeCode": "PRF",
    functionCode: coded("ParticipationFunction", "PCP", "primary care physician"),
    assignedEntity: physicianEntityOf(physician, chart),
  };
  return {
    "@classCode": "PCPR",
    // The mark of what a progress note documents.
    templateId: making.template === "generateProgressNote" ? template("2.16.840.1.113883.10.20.21.3.1") : undefined,
    effectiveTime: {
      low: point(making.period.start ?? patient.dob),
      high: point(making.period.end ?? making.now.slice(0, 10)),
    },
    performer: performer ?? undefined,
  };
}

/** The visit of a progress note: the newest one there is a note of, or else that the document is made. */
function visitOf(subject: Subject): Xml {
  const { making } = subject;
  const [note] = notesOf(subject);
  const physician = subject.chart.physicians.get(note?.data.physician ?? 0);
  return {
    encompassingEncounter: {
      id: note ? idOf(subject.making.roots.visit_notes, note.id) : absent("NI"),
      effectiveTime: { low: point(note ? (note.data.document_date ?? note.createdDate) : making.now) },
      responsibleParty: physician ? { assignedEntity: physicianEntityOf(physician, subject.chart) } : undefined,
      location: { healthCareFacility: { id: idOf(subject.making.roots.practices, subject.chart.practice.id) } },
    },
  };
}
