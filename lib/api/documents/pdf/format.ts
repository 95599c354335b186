import type { ChartOwner } from "@/lib/api/documents/chart/schema";
import { dateFormat } from "@/lib/platform/date-format";
import type { PhysicianRow } from "@/lib/practice/physicians/schema";
import type { Fact } from "./schema";

type Text = string | null | undefined;

/** Formats dates and times for people, in the practice's time zone. */
export interface Formatter {
  date(moment: Text): string;
  dateTime(moment: Text): string;
}

/** What a form needs besides its record. */
export interface FormContext {
  format: Formatter;
  physician: string;
  vendor: string;
}

/**
 * Returns a formatter for a time zone, which takes days (`YYYY-MM-DD`) and times (ISO 8601): "March 4, 2025". A missing value
 * gives an empty text, and an invalid one is returned as given.
 */
export function formatterFor(timeZone: string): Formatter {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const at = dateFormat("en-US", { ...options, timeZone });
    const onDay = dateFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
    return (moment: Text) => {
      const date = new Date(moment ?? "");
      if (Number.isNaN(date.getTime())) return moment ?? "";
      // The space before AM and PM is a narrow one, which some fonts lack.
      return (/^\d{4}-\d\d-\d\d$/.test(moment ?? "") ? onDay : at).format(date).replaceAll("\u202f", " ");
    };
  };
  return { date: format({ dateStyle: "long" }), dateTime: format({ dateStyle: "long", timeStyle: "short" }) };
}

export function formatPatientName({ patient }: ChartOwner): string {
  const { first_name, middle_name, last_name, details } = patient;
  return [first_name, middle_name, last_name, details.suffix].filter(Boolean).join(" ");
}

/** Returns the facts in the band at the top of a document. */
export function patientFacts(owner: ChartOwner, format: Formatter): Fact[] {
  const { patient } = owner;
  return [
    { label: "Patient", text: formatPatientName(owner) },
    { label: "Date of birth", text: format.date(patient.dob) },
    { label: "Sex", text: patient.sex },
    { label: "Patient ID", text: String(patient.id) },
  ];
}

/** Returns the practice's name, address and telephone numbers. */
export function practiceLetterhead({ practice }: ChartOwner): string[] {
  const place = [practice.city, [practice.state, practice.zip].filter(Boolean).join(" ")].filter(Boolean).join(", ");
  const numbers = [
    practice.phone && `Phone ${formatPhone(practice.phone)}`,
    practice.fax && `Fax ${formatPhone(practice.fax)}`,
  ];
  const street = [practice.address_line1, practice.address_line2].filter(Boolean).join(", ");
  const lines = [practice.name, street, place, numbers.filter(Boolean).join("   ")];
  return lines.filter((line) => line !== "");
}

/** Formats a telephone number of ten digits as in the US. Others are returned as given. */
export function formatPhone(phone: string): string {
  const [, area, office, line] = /^\D*(?:\+?1\D*)?(\d{3})\D*(\d{3})\D*(\d{4})$/.exec(phone) ?? [];
  return area ? `(${area}) ${office}-${line}` : phone;
}

export function formatPhysicianName(physician: PhysicianRow | null | undefined): string {
  if (!physician) return "";
  const name = [physician.first_name, physician.last_name].filter(Boolean).join(" ");
  return [name, physician.credentials].filter(Boolean).join(", ");
}

/** Omits facts without text. */
export function nonEmptyFacts(facts: readonly (readonly [label: string, text: Text])[]): Fact[] {
  return facts.flatMap(([label, text]) => (text ? [{ label, text }] : []));
}

/** Says who signed a record and when, or that it is not signed. */
export function signatureText(
  { signed_date: at }: { signed_date?: Text | undefined },
  { signer, format }: { signer: string; format: Formatter },
): string {
  if (!at) return "Not signed";
  return signer ? `Signed by ${signer} on ${format.dateTime(at)}` : `Signed on ${format.dateTime(at)}`;
}
