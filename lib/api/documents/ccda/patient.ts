import type { PatientRow } from "@/lib/insurance/patients/schema";
import { organization, personName, telecom, usAddress } from "./parties";
import type { CcdaInput, Xml } from "./schema";
import { coded, instanceId, nullFlavor, timePoint } from "./values";

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

/** The content of `patientRole`. */
export function patientRole({ chart, context }: CcdaInput): Xml {
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

/** The patient's address; unknown if there is none. */
export function homeAddress({ details: { address } }: PatientRow): Xml {
  return usAddress({ ...address, line1: address?.address_line1, line2: address?.address_line2 }, "HP");
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

/** A code of the CDC's code system. It distinguishes "declined to specify" from "unknown". */
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

/** The preferred language, if it is a known code or English name. */
function languageCommunication(language: string | null | undefined): Xml | undefined {
  if (!language?.trim()) return undefined;
  const word = language.trim().toLowerCase();
  const code = LANGUAGES.get(word) ?? (new Set(LANGUAGES.values()).has(word) ? word : undefined);
  return code ? { languageCode: { "@code": code }, preferenceInd: { "@value": "true" } } : undefined;
}
