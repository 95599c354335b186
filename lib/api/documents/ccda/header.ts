import type { PatientRow } from "@/lib/insurance/patients/schema";
import { shareableNotes } from "./notes";
import {
  assignedEntity,
  homeAddress,
  organization,
  personName,
  physicianAuthor,
  softwareAuthor,
  telecom,
  usAddress,
} from "./parties";
import type { CcdaInput, Xml } from "./schema";
import { TEMPLATE_DEFINITIONS } from "./templates";
import { ccdaTemplateId, coded, instanceId, nullFlavor, templateId, timePoint } from "./xml";

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

/** Returns an unknown recipient, because the recipient of a referral is not stored. */
function unknownRecipient(): Xml {
  return {
    intendedRecipient: {
      addr: usAddress({}, "WP"),
      telecom: telecom(null, "WP"),
      informationRecipient: { name: personName([null, null]) },
    },
  };
}

/** Returns the documented care: in the requested period, or from birth until now. */
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

/** Returns the visit of a progress note: the newest one that has a note. Without a note, the time is now. */
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

const GENDERS: Readonly<Record<string, readonly [code: string, name: string]>> = {
  Female: ["F", "Female"],
  Male: ["M", "Male"],
  Other: ["UN", "Undifferentiated"],
};

const RACES: Readonly<Record<string, string>> = {
  "American Indian or Alaska Native": "1002-5",
  Asian: "2028-9",
  "Black or African American": "2054-5",
  "Native Hawaiian or Other Pacific Islander": "2076-8",
  White: "2106-3",
};
const ETHNICITIES: Readonly<Record<string, string>> = {
  "Hispanic or Latino": "2135-2",
  "Not Hispanic or Latino": "2186-5",
};

/** Returns the content of `patientRole`. */
function patientRole({ chart, context }: CcdaInput): Xml {
  const { patient, practice } = chart;
  const { emails } = patient.details;
  const phones = patient.phones.map(({ phone, phone_type }) => telecom(phone, USES[phone_type] ?? "HP"));
  const mails = (emails ?? []).flatMap(({ email }) => (email ? [{ "@value": `mailto:${email}` }] : []));
  const telecoms = [...phones, ...mails].filter((one) => !("@nullFlavor" in one));
  return {
    id: instanceId(context.roots.patients, patient.id),
    addr: homeAddress(patient),
    telecom: telecoms.length > 0 ? telecoms : nullFlavor(),
    patient: patientElement(chart.patient),
    providerOrganization: organization(practice, context),
  };
}

const USES: Readonly<Record<string, "HP" | "WP" | "MC">> = { Home: "HP", Mobile: "MC", Work: "WP" };

function patientElement(patient: PatientRow): Xml {
  const { details } = patient;
  const gender = GENDERS[patient.sex];
  const names = [patient.first_name, patient.middle_name, patient.last_name];
  const status = details.patient_status;
  const isDeceased = status?.status === "deceased" || Boolean(status?.deceased_date);
  return {
    name: { "@use": "L", ...personName(names, details.suffix) },
    administrativeGenderCode: gender ? coded("AdministrativeGender", ...gender) : nullFlavor(),
    birthTime: timePoint(patient.dob),
    "sdtc:deceasedInd": isDeceased ? { "@value": "true" } : undefined,
    "sdtc:deceasedTime": status?.deceased_date ? timePoint(status.deceased_date) : undefined,
    raceCode: demographic(RACES, details.race),
    ethnicGroupCode: demographic(ETHNICITIES, details.ethnicity),
    languageCommunication: languageCommunication(details.preferred_language),
  };
}

/** Returns a code of the CDC's code system. It distinguishes "declined to specify" from "unknown". */
function demographic(codes: Readonly<Record<string, string>>, word: string | undefined): Xml {
  const code = codes[word ?? ""];
  if (code) return coded("Race & Ethnicity - CDC", code, word);
  return nullFlavor(word === "Declined to specify" ? "ASKU" : "UNK");
}

const LANGUAGE_NAMES = new Intl.DisplayNames("en", { type: "language" });
/** ISO 639-1 codes by the English names of their languages. */
const LANGUAGES = new Map(
  [..."abcdefghijklmnopqrstuvwxyz"].flatMap((first) =>
    [..."abcdefghijklmnopqrstuvwxyz"].flatMap((second) => {
      const code = first + second;
      const name = LANGUAGE_NAMES.of(code);
      return name && name !== code ? [[name.toLowerCase(), code] as const] : [];
    }),
  ),
);

/** Returns the preferred language, if it is a known code or English name. */
function languageCommunication(language: string | null | undefined): Xml | undefined {
  if (!language?.trim()) return undefined;
  const word = language.trim().toLowerCase();
  const code = LANGUAGES.get(word) ?? (new Set(LANGUAGES.values()).has(word) ? word : undefined);
  return code ? { languageCode: { "@code": code }, preferenceInd: { "@value": "true" } } : undefined;
}
