import { XMLBuilder } from "fast-xml-parser";
import type { Xml } from "./schema";

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are what XML 1.0 can't hold.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Replaces characters that XML can't hold (control characters and lone surrogates) by U+FFFD. */
function toXmlText(text: string): string {
  return text.replace(UNWRITABLE, "\ufffd");
}

const NAMESPACES = {
  "@xmlns": "urn:hl7-org:v3",
  "@xmlns:sdtc": "urn:hl7-org:sdtc",
  "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
};

const builder = new XMLBuilder({
  attributeNamePrefix: "@",
  textNodeName: "#",
  ignoreAttributes: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
  format: true,
});

/** Serializes an element as an XML document in the CDA namespaces. */
export function serializeXml(name: string, root: Xml): string {
  const declaration = { "@version": "1.0", "@encoding": "UTF-8" };
  return builder.build({ "?xml": declaration, [name]: toXmlNode({ ...NAMESPACES, ...root }) });
}

function isList(value: Xml | readonly (Xml | string)[]): value is readonly (Xml | string)[] {
  return Array.isArray(value);
}

function toXmlNode(element: Xml): Xml {
  const kept = Object.entries(element).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (typeof value === "number") return [name, String(value)];
      // XML parsers turn line breaks in attributes into spaces anyway.
      if (typeof value === "string") return [name, toXmlText(name.startsWith("@") ? value.replace(/\s/g, " ") : value)];
      const children = value === undefined ? [] : isList(value) ? value : [value];
      return [name, children.map((child) => (typeof child === "string" ? toXmlText(child) : toXmlNode(child)))];
    }),
  );
}

/** Object identifiers of code systems, by display name. */
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

/** Returns a code in a code system. */
export function coded(system: keyof typeof SYSTEMS, code: string, displayName?: string): Xml {
  const attributes = { "@code": code, "@codeSystem": SYSTEMS[system], "@codeSystemName": system };
  return displayName === undefined ? attributes : { ...attributes, "@displayName": displayName };
}

/** Returns a missing value: unknown (UNK), not applicable (NA), no information (NI), other (OTH) or declined (ASKU). */
export function nullFlavor(flavor: "UNK" | "NI" | "NA" | "OTH" | "ASKU" = "UNK"): Xml {
  return { "@nullFlavor": flavor };
}

/** Templates that are new in C-CDA R2.1, below the root of C-CDA templates. */
const NEW = new Set(["1.14", "1.15", "2.56", "2.58", "4.89", "4.90", "4.132"]);
const CONSOLIDATED = "2.16.840.1.113883.10.20.22.";

/**
 * Returns the IDs of a template. R2.1 requires two for a versioned template that R1.1 also has, because readers of R1.1 know it without
 * its version.
 */
export function templateId(root: string, version?: string): Xml[] {
  const unversioned = { "@root": root };
  if (version === undefined) return [unversioned];
  const versioned = { ...unversioned, "@extension": version };
  const isNew = root.startsWith(CONSOLIDATED) && NEW.has(root.slice(CONSOLIDATED.length));
  return isNew ? [versioned] : [unversioned, versioned];
}

/** Returns the IDs of a C-CDA template, by its number below their common root and the date of its version. */
export function ccdaTemplateId(number: string, version?: string): Xml[] {
  return templateId(`${CONSOLIDATED}${number}`, version);
}

export function npiId(npi: string | undefined): Xml {
  return npi && /^\d{10}$/.test(npi) ? { "@root": NPI, "@extension": npi } : nullFlavor();
}

/** Converts a day to `YYYYMMDD` or a time to `YYYYMMDDhhmmss+0000`. Returns null for anything else. */
export function hl7Timestamp(moment: string | null | undefined): string | null {
  if (!moment) return null;
  if (/^\d{4}-\d\d-\d\d$/.test(moment)) return moment.replaceAll("-", "");
  const time = new Date(moment);
  if (Number.isNaN(time.getTime())) return null;
  return `${time.toISOString().slice(0, 19).replace(/[-T:]/g, "")}+0000`;
}

/** Returns a point in time, or the null flavor for unknown. */
export function timePoint(moment: string | null | undefined): Xml {
  const stamp = hl7Timestamp(moment);
  return stamp ? { "@value": stamp } : nullFlavor();
}

/** Returns an interval, open if it has no end. */
export function timeInterval(from: string | null | undefined, until?: string | null | undefined): Xml {
  return { low: timePoint(from), high: hl7Timestamp(until) ? timePoint(until) : undefined };
}

/** Returns a link from an entry to its row in the narrative. */
export function narrativeLink(rowId: string): Xml {
  return { reference: { "@value": `#${rowId}` } };
}

/** Returns a concept without a code, which links to its name in the narrative. */
export function uncoded(rowId: string, translations: readonly Xml[] = []): Xml {
  return { ...nullFlavor(), originalText: narrativeLink(rowId), translation: translations };
}

export function instanceId(root: string, id: number | string): Xml {
  return { "@root": root, "@extension": String(id) };
}
