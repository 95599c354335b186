import type { ChartOwner } from "@/lib/api/documents/chart/schema";
import { dateFormat } from "@/lib/platform/date-format";
import type { PhysicianRow } from "@/lib/practice/physicians/schema";
import type { Fact } from "./schema";

type Text = string | null | undefined;

/** What papers say of days and times, by the practice's clock. */
export interface Formatter {
  date(moment: Text): string;
  dateTime(moment: Text): string;
}

/** What a form says beside its record: its days by the practice's clock, and whom it names. */
export interface FormContext {
  format: Formatter;
  physician: string;
  vendor: string;
}

/** Days (`YYYY-MM-DD`) and times (ISO 8601) as people read them in a time zone: "March 4, 2025". Empty where there is none. */
export function formatterFor(timeZone: string): Formatter {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const at = dateFormat("en-US", { ...options, timeZone });
    const onDay = dateFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
    return (moment: Text) => {
      const date = new Date(moment ?? "");
      if (Number.isNaN(date.getTime())) return moment ?? "";
      // The space before AM and PM is a narrow one, that some fonts lack.
      return (/^\d{4}-\d\d-\d\d$/.test(moment ?? "") ? onDay : at).format(date).replaceAll("\u202f", " ");
    };
  };
  return { date: format({ dateStyle: "long" }), dateTime: format({ dateStyle: "long", timeStyle: "short" }) };
}

export function formatPatientName({ patient }: ChartOwner): string {
  const { first_name, middle_name, last_name, details } = patient;
  return [first_name, middle_name, last_name, details.suffix].filter(Boolean).join(" ");
}

/** The line that says of whom a paper is. */
export function patientFacts(owner: ChartOwner, format: Formatter): Fact[] {
  const { patient } = owner;
  return [
    { label: "Patient", text: formatPatientName(owner) },
    { label: "Date of birth", text: format.date(patient.dob) },
    { label: "Sex", text: patient.sex },
    { label: "Patient ID", text: String(patient.id) },
  ];
}

/** The heading of a practice that chose none. */
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

/** A telephone number of ten digits as it is written in the US; others as they were given. */
export function formatPhone(phone: string): string {
  const [, area, office, line] = /^\D*(?:\+?1\D*)?(\d{3})\D*(\d{3})\D*(\d{4})$/.exec(phone) ?? [];
  return area ? `(${area}) ${office}-${line}` : phone;
}

export function formatPhysicianName(physician: PhysicianRow | null | undefined): string {
  if (!physician) return "";
  const name = [physician.first_name, physician.last_name].filter(Boolean).join(" ");
  return [name, physician.credentials].filter(Boolean).join(", ");
}

/** Facts that have something to say. */
export function nonEmptyFacts(facts: readonly (readonly [label: string, text: Text])[]): Fact[] {
  return facts.flatMap(([label, text]) => (text ? [{ label, text }] : []));
}

/** Who signed a record, and when; or that nobody did. */
export function signatureText(
  { signed_date: at }: { signed_date?: Text },
  { signer, format }: { signer: string; format: Formatter },
): string {
  if (!at) return "Not signed";
  return signer ? `Signed by ${signer} on ${format.dateTime(at)}` : `Signed on ${format.dateTime(at)}`;
}
