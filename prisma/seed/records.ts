// Writes the records of the demo's practices other than patients and insurances, including the charts of a few patients.

import { type Access, mintAccess, type Origin } from "@/lib/access/identity/access";
import { cardiacCenters, imagingCenters } from "@/lib/records/catalog/orders/ancillary-orders";
import { medications } from "@/lib/records/catalog/patient-document/medications";
import { patientForms } from "@/lib/records/catalog/patient-document/patient-forms";
import { patientLetterCategories } from "@/lib/records/catalog/patient-document/patient-letter-categories";
import { prescriptionFills } from "@/lib/records/catalog/patient-document/prescription-fills";
import { reportTypes } from "@/lib/records/catalog/patient-document/report-types";
import { visitNotes } from "@/lib/records/catalog/patient-document/visit-notes";
import { vitals } from "@/lib/records/catalog/patient-document/vitals";
import { allergies } from "@/lib/records/catalog/patient-profile/allergies";
import { problems } from "@/lib/records/catalog/patient-profile/problems";
import { printHeaders } from "@/lib/records/catalog/practice/print-headers";
import { serviceLocations } from "@/lib/records/catalog/practice/service-locations";
import { appointmentTypes } from "@/lib/records/catalog/scheduling/appointment-types";
import { appointments } from "@/lib/records/catalog/scheduling/appointments";
import { createRecord } from "@/lib/records/engine/commands";
import type { Data } from "@/lib/records/engine/data-types";
import type { Resource } from "@/lib/records/engine/schema";
import { travelTo } from "./chart";
import { Dice } from "./people";
import type { DemoPractice } from "./practices";
import { loadRows } from "./reference-data";

/** Number of patients of a practice who have a chart. */
const CHARTS = 15;
const VISIT = "2023-03-14T15:00:00.000Z";
const NEXT_VISIT = "2027-03-15T14:00:00.000Z";

const REPORT_TYPES = ["Lab", "Imaging", "Cardiac", "Hospital", "Consult", "Pathology", "Administrative"];
const CENTERS = ["Bayview", "Foundry Row", "Gull Point"];
const LETTER_CATEGORIES = [
  { key: "question", text: "Question about my health", role: "Primary Provider" },
  { key: "refill", text: "Prescription refill", role: "Staff" },
  { key: "billing", text: "Bill or insurance", role: "Staff" },
];
const KINDS = [
  ["Office visit", "OV", 20, false],
  ["Physical exam", "PE", 40, false],
  ["Follow-up", "FU", 15, false],
  ["Telehealth", "TH", 20, true],
] as const;
const PROBLEMS = [
  ["Essential hypertension", "I10", "38341003"],
  ["Hyperlipidemia, unspecified", "E78.5", "55822004"],
  ["Type 2 diabetes mellitus without complications", "E11.9", "44054006"],
  ["Mild intermittent asthma", "J45.20", "427679007"],
  ["Seasonal allergic rhinitis", "J30.2", "367498001"],
] as const;
const ALLERGIES = [
  ["Penicillin", "Hives", "moderate"],
  ["Sulfonamides", "Rash", "mild"],
  ["Peanut", "Anaphylaxis", "severe"],
  ["Latex", "Contact dermatitis", "mild"],
] as const;
const MEDICATIONS = [
  ["lisinopril", "10 mg", "Take 1 tablet by mouth once a day"],
  ["atorvastatin", "20 mg", "Take 1 tablet by mouth at bedtime"],
  ["metformin", "500 mg", "Take 1 tablet by mouth twice a day with meals"],
  ["cetirizine", "10 mg", "Take 1 tablet by mouth once a day as needed"],
] as const;

interface Place {
  id: number;
  practice: DemoPractice;
  access: Access;
  origin: Origin;
  physicians: readonly number[];
}

/** A fill of all that was ordered, as pharmacies report it. */
const FILL = { fill_status: "AH", pharmacy_ncpdpid: "2010042" };

/** Writes the records of a practice and of its first patients. */
export async function seedRecords(place: Place, patients: readonly number[]): Promise<void> {
  travelTo("2023-01-09T14:00:00.000Z");
  const within = { ...place, access: mintAccess({ practices: [place.id], actor: place.access.actor }) };
  await loadPlaces(place);
  const { name, address_line1, city, state, zip } = place.practice;
  const location = { address_line1, city, state, zip, name, practice: place.id, is_primary: true };
  const service_location = await write(within, serviceLocations, { ...location, place_of_service: "Office" });
  const types: number[] = [];
  for (const [kind, abbreviation, default_duration, is_telehealth] of KINDS) {
    const type = { name: kind, abbreviation, default_duration, is_telehealth, practice: place.id };
    types.push(await write(within, appointmentTypes, type));
  }
  const dice = new Dice(9_000 + place.id);
  const fills: Data[] = [];
  for (const [at, patient] of patients.slice(0, CHARTS).entries()) {
    const visit = new Date(Date.parse(VISIT) + at * 86_400_000).toISOString();
    travelTo(visit);
    const order = await writeChart(within, { dice, patient, at, service_location, type: dice.pick(types) });
    fills.push({
      external_id: `fill-${order}`,
      patient,
      medication_order: order,
      ...FILL,
      fill_date: visit.slice(0, 10),
    });
  }
  await loadRows(prescriptionFills, fills, place.id);
}

/** Loads the records that clients can't write from files, as a real practice does. */
async function loadPlaces({ id, practice }: Place): Promise<void> {
  const types = REPORT_TYPES.map((report_type, rank) => ({ report_type, display_value: report_type, rank }));
  await loadRows(reportTypes, types, id);
  await loadRows(patientLetterCategories, LETTER_CATEGORIES, id);
  const centers = CENTERS.map((name, at) => ({
    external_id: `center-${at + 1}`,
    location_name: `${name}, ${practice.city}`,
    company: at + 1,
    company_name: name,
    address_line1: `${20 + at} ${name} Road`,
    address_line2: "",
    city: practice.city,
    state: practice.state,
    zip: practice.zip,
    phone: `207-555-01${20 + at}`,
  }));
  await loadRows(imagingCenters, centers, id);
  await loadRows(cardiacCenters, centers.slice(0, 1), id);
  const intake = {
    external_id: "form-intake",
    form_name: "New patient intake",
    sequence: 1,
    topics: ["history", "allergies"],
  };
  await loadRows(patientForms, [intake], id);
  const header = { external_id: "header-1", name: "Letterhead", header: `${practice.name}\n${practice.address_line1}` };
  await loadRows(printHeaders, [{ ...header, content_type: "text", image_placement: "none" }], id);
}

/** Writes the chart of a patient, and returns the ID of the medication order. */
async function writeChart(
  place: Place,
  chart: { dice: Dice; patient: number; at: number; service_location: number; type: number },
): Promise<number> {
  const { dice, patient, at, service_location, type } = chart;
  const visit = new Date(Date.parse(VISIT) + at * 86_400_000).toISOString();
  const physician = dice.pick(place.physicians);
  const [description, icd10, snomed] = dice.pick(PROBLEMS);
  const start_date = `20${dice.between(15, 22)}-0${dice.between(1, 9)}-1${dice.between(0, 9)}`;
  const problem = { description, dx: [{ icd10: [icd10], snomed }], patient, start_date, status: "Active" };
  await write(place, problems, problem);
  const [name, reaction, severity] = dice.pick(ALLERGIES);
  if (at % 3 === 0) await write(place, allergies, { patient, name, reaction, severity, status: "Active" });
  const order = await write(
    place,
    medications,
    orderOf(place, { dice, patient, physician, icd10, start: visit.slice(0, 10) }),
  );
  const visit_note = await write(place, visitNotes, {
    patient,
    physician,
    chart_date: visit,
    document_date: visit,
    template: "SOAP",
    type: "Office Visit Note",
    bullets: [
      { category: "Hpi", text: "Here for a check-up. No new complaints." },
      { category: "Assessplan", text: `${description}: stable. Goes on as before, back in a year.` },
    ],
  });
  const one = (value: number | string, units: string) => [{ value: String(value), units }];
  await write(place, vitals, {
    patient,
    practice: place.id,
    visit_note,
    chart_date: visit,
    document_date: visit,
    bp: [{ systolic: String(dice.between(108, 142)), diastolic: String(dice.between(64, 90)) }],
    hr: one(dice.between(58, 92), "bpm"),
    weight: one(dice.between(120, 220), "lbs"),
    height: one(dice.between(60, 74), "inches"),
    temperature: one("98.4", "fahrenheit"),
  });
  await write(place, appointments, {
    patient,
    practice: place.id,
    physician,
    service_location,
    appointment_type_id: type,
    duration: 20,
    scheduled_date: new Date(Date.parse(NEXT_VISIT) + at * 1_800_000).toISOString(),
    reason: "Yearly check-up",
    mode: "IN_PERSON",
    time_slot_type: "appointment",
  });
  return order;
}

function orderOf(
  { id: practice }: Place,
  order: { dice: Dice; patient: number; physician: number; icd10: string; start: string },
): Data {
  const { dice, patient, physician, icd10, start } = order;
  const [generic_name, strength, directions] = dice.pick(MEDICATIONS);
  const medication = { name: `${generic_name} ${strength} oral tablet`, generic_name, strength, type: "prescription" };
  return {
    patient,
    practice,
    prescribing_physician: physician,
    medication,
    directions,
    start_date: start,
    auth_refills: 3,
    days_supply: 90,
    qty: "90",
    qty_units: "TABLET",
    order_type: "New",
    is_doc_med: false,
    medication_type: "prescription",
    icd10_codes: [{ code: icd10 }],
    thread: { is_permanent: true },
  };
}

async function write({ access, origin }: Place, resource: Resource, sent: Data): Promise<number> {
  return (await createRecord({ access, origin: { ...origin, actor: access.actor } }, resource, sent)).id;
}
