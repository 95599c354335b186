import type { Xml } from "./schema";

/** Code systems by the name they are shown with. */
const SYSTEMS = {
  ActClass: "2.16.840.1.113883.5.6",
  ActCode: "2.16.840.1.113883.5.4",
  AdministrativeGender: "2.16.840.1.113883.5.1",
  Confidentiality: "2.16.840.1.113883.5.25",
  CVX: "2.16.840.1.113883.12.292",
  "ICD-10-CM": "2.16.840.1.113883.6.90",
  LOINC: "2.16.840.1.113883.6.1",
  NDC: "2.16.840.1.113883.6.69",
  ObservationInterpretation: "2.16.840.1.113883.5.83",
  ParticipationFunction: "2.16.840.1.113883.5.88",
  "Race & Ethnicity - CDC": "2.16.840.1.113883.6.238",
  RoleCode: "2.16.840.1.113883.5.111",
  RxNorm: "2.16.840.1.113883.6.88",
  "Source of Payment Typology": "2.16.840.1.113883.3.221.5",
  "SNOMED CT": "2.16.840.1.113883.6.96",
} as const;

/** National Provider Identifier. */
const NPI = "2.16.840.1.113883.4.6";

/** A code of a code system. */
export function coded(system: keyof typeof SYSTEMS, code: string, displayName?: string): Xml {
  const own = { "@code": code, "@codeSystem": SYSTEMS[system], "@codeSystemName": system };
  return displayName === undefined ? own : { ...own, "@displayName": displayName };
}

/** A value that is not known (UNK), does not apply (NA), or of which nothing is said (NI). */
export function nullFlavor(flavor: "UNK" | "NI" | "NA" | "OTH" | "ASKU" = "UNK"): Xml {
  return { "@nullFlavor": flavor };
}

/** Templates that C-CDA R2.1 brought, below the consolidated templates' root. */
const NEW = new Set(["1.14", "1.15", "2.56", "2.58", "4.89", "4.90", "4.132"]);
const CONSOLIDATED = "2.16.840.1.113883.10.20.22.";

/**
 * The marks of a template. One with a version's date that R1.1 had too is marked twice, as R2.1 asks for: its readers of
 * before know it by its root alone.
 */
export function templateId(root: string, version?: string): Xml[] {
  const plain = { "@root": root };
  if (version === undefined) return [plain];
  const versioned = { ...plain, "@extension": version };
  const isNew = root.startsWith(CONSOLIDATED) && NEW.has(root.slice(CONSOLIDATED.length));
  return isNew ? [versioned] : [plain, versioned];
}

/** A template of C-CDA by its number below the consolidated templates' root, with its version's date. */
export function ccdaTemplateId(number: string, version?: string): Xml[] {
  return templateId(`${CONSOLIDATED}${number}`, version);
}

export function npiId(npi: string | undefined): Xml {
  return npi && /^\d{10}$/.test(npi) ? { "@root": NPI, "@extension": npi } : nullFlavor();
}

/** HL7's form of a day (`YYYYMMDD`) or of a time (`YYYYMMDDhhmmss+0000`); null where it is neither. */
export function hl7Timestamp(moment: string | null | undefined): string | null {
  if (!moment) return null;
  if (/^\d{4}-\d\d-\d\d$/.test(moment)) return moment.replaceAll("-", "");
  const time = new Date(moment);
  if (Number.isNaN(time.getTime())) return null;
  return `${time.toISOString().slice(0, 19).replace(/[-T:]/g, "")}+0000`;
}

/** A point in time; unknown where there is none. */
export function timePoint(moment: string | null | undefined): Xml {
  const stamp = hl7Timestamp(moment);
  return stamp ? { "@value": stamp } : nullFlavor();
}

/** A stretch of time: since when, and until when where it has ended. */
export function timeInterval(from: string | null | undefined, until?: string | null | undefined): Xml {
  return { low: timePoint(from), high: hl7Timestamp(until) ? timePoint(until) : undefined };
}

/** The row of the narrative an entry is from. */
export function narrativeLink(rowId: string): Xml {
  return { reference: { "@value": `#${rowId}` } };
}

/** What is known by its name alone, as the narrative has it. */
export function uncoded(rowId: string, translations: readonly Xml[] = []): Xml {
  return { ...nullFlavor(), originalText: narrativeLink(rowId), translation: translations };
}

/** The id of a record. */
export function instanceId(root: string, id: number | string): Xml {
  return { "@root": root, "@extension": String(id) };
}
