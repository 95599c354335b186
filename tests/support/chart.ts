// A patient with a chart of every kind of record, created through the API, and texts that are hard to render.
import { expect } from "vitest";
import { db, json, sql } from "@/lib/platform/db/sql";
import { call, MARIA, seedPatient } from "./api";

/** Markup, entities, quotes, accents, Greek, Cyrillic, and two control characters. */
export const ODD_TEXT = `Ä <b>&amp;&nbsp; "Ω" 'Жук'\u0001\u001f ]]> end`;

export interface SeededChart {
  patient: number;
  physician: number;
  visitNote: number;
  report: number;
  labOrder: number;
}

interface Place {
  token: string;
  practice: number;
  physician: number;
}

/** Sends records to the API in order; returns the last ID of each resource. */
async function create(token: string, records: readonly [string, object][]): Promise<Record<string, number>> {
  const ids: Record<string, number> = {};
  for (const [resource, body] of records) {
    const created = await call("POST", `${resource}/`, { token, body });
    expect([resource, created.status, created.status === 201 ? null : created.body]).toEqual([resource, 201, null]);
    ids[resource] = created.body.id;
  }
  return ids;
}

const at = "2025-03-04T15:30:00Z";
const dx = [{ icd10: ["E11.9"], icd9: [], snomed: "44054006" }];
const icd10_codes = [{ code: "E11.9", description: "Type 2 diabetes mellitus" }];

/** Builds the patient's background: allergies, problems, history. */
const background = (patient: number, { practice, physician }: Place): [string, object][] => [
  [
    "service_locations",
    { practice, name: "Main", address_line1: "1 Elm St", state: "MA", phone: "6175550100", is_primary: true },
  ],
  [
    "allergies",
    { patient, name: ODD_TEXT, reaction: "Hives", severity: "severe", start_date: "2019-05-01", status: "Active" },
  ],
  ["drug_intolerances", { patient, name: "Codeine", reaction: "Nausea", severity: "255604002", status: 2 }],
  [
    "problems",
    {
      patient,
      description: "Type 2 diabetes",
      dx,
      start_date: "2020-02-03",
      status: "Active",
      synopsis: "Diet\nand metformin",
    },
  ],
  [
    "problems",
    {
      patient,
      description: "Broken arm",
      dx: [],
      start_date: "2012-01-01",
      resolved_date: "2012-04-01",
      status: "Resolved",
    },
  ],
  [
    "immunizations",
    {
      patient,
      administered_date: "2024-10-02T10:00:00Z",
      administering_physician: physician,
      ordering_physician: physician,
      lot_number: "L-77",
      manufacturer_name: "Vaxworks",
      qty: "0.5",
      qty_units: "mL",
      vaccine: { name: "Influenza", cvx: 8 },
    },
  ],
  ["histories", { patient, type: "Social", text: "Never smoked" }],
  ["histories", { patient, type: "Past", text: "Appendicitis as a child" }],
  ["histories", { patient, type: "Past Surgical", text: "Appendectomy 1991" }],
  ["histories", { patient, type: "Functional Status", text: "Walks without aid" }],
  ["histories", { patient, type: "Cognitive Status", text: "Alert and oriented" }],
  ["family_histories", { patient, relationship: "Mother", text: "Breast cancer", snomed_code: "254837009" }],
  ["family_histories", { patient, relationship: "Other", text: "Gout" }],
];

const grids = [
  {
    accession_number: "A-1",
    collected_date: at,
    resulted_date: at,
    note: "Fasting",
    status: "FINAL",
    results: [
      lab({
        name: "Hemoglobin A1c",
        loinc: "4548-4",
        value: "7.9",
        units: "%",
        reference_max: "5.6",
        abnormal_flag: "Above high normal",
        is_abnormal: true,
      }),
      lab({ name: "Urine colour", loinc: null, value: "Straw", units: null }),
    ],
  },
];

function lab({ name, loinc, ...result }: Record<string, unknown>) {
  return {
    abnormal_flag: "Normal (applies to non-numeric results)",
    is_abnormal: false,
    note: null,
    reference_max: null,
    reference_min: null,
    status: "FINAL",
    text: null,
    value_type: null,
    test: { code: "T1", loinc, name },
    test_category: { description: "Chemistry", value: "CHEM" },
    ...result,
  };
}

const bullets = [
  ["Reason", "Follow-up of diabetes"],
  ["Hpi", "Thirsty since March"],
  ["ROS", "No chest pain"],
  ["PE", "Lungs clear"],
  ["Assessment", "Diabetes above target — Διαβήτης"],
  ["Plan", "Metformin twice a day. Контроль через месяц"],
].map(([category, text], sequence) => ({ category, text, sequence }));

/** Builds the records of one visit. */
const visit = (patient: number, { practice, physician }: Place): [string, object][] => [
  [
    "visit_notes",
    {
      patient,
      physician,
      chart_date: at,
      document_date: at,
      template: "SOAP",
      bullets: [...bullets, { category: "Plan", text: "Taken back", sequence: 9 }],
    },
  ],
  [
    "vitals",
    {
      patient,
      practice,
      chart_date: at,
      document_date: at,
      bmi: 27.4,
      bp: [{ systolic: "128", diastolic: "82" }],
      hr: [{ value: "71" }],
      rr: [{ value: "14" }],
      temperature: [{ value: "98.6", units: "fahrenheit" }],
      oxygen: [{ value: "98" }],
      height: [{ value: "65" }],
      weight: [{ value: "165" }],
      hc: [{ value: "55" }],
      pain: [{ value: "none" }],
    },
  ],
  ["medications", medicationOf(patient, practice, physician)],
  [
    "reports",
    {
      patient,
      practice,
      physician,
      chart_date: at,
      document_date: at,
      reported_date: at,
      report_type: "Lab",
      custom_title: "Blood & urine",
      requisition_number: "R-9",
      grids,
    },
  ],
  [
    "lab_orders",
    {
      patient,
      practice,
      ordering_physician: physician,
      document_date: at,
      test_date: "2025-04-01",
      content: {
        icd10_codes,
        fasting_method: "fasting_12_hour",
        patient_instructions: "Drink water — пейте воду",
        test_center_notes: "Left arm",
        tests: [{ name: "Lipid panel", code: "LP", icd10_codes }],
      },
      site: {
        name: "Northside Lab",
        address: "2 Oak St",
        city: "Boston",
        state: "MA",
        zip: "02101",
        phone: "6175550123",
        vendor: { display_name: "Labworks" },
      },
    },
  ],
];

function medicationOf(patient: number, practice: number, physician: number) {
  return {
    patient,
    practice,
    prescribing_physician: physician,
    auth_refills: 2,
    icd10_codes,
    is_doc_med: false,
    medication: { name: "Metformin 500 mg", form: "tablet", rxnorm_cuis: ["861007"], ndcs: ["00093104801"] },
    medication_type: "prescription",
    order_type: "New",
    qty: "60",
    qty_units: "TABLET",
    directions: "Take 1 tablet twice a day",
    start_date: "2025-03-04",
    thread: { is_permanent: true },
  };
}

/** Seeds the chart, with demographics and two policies, one of them in the spouse's name. */
export async function seedChart(place: Place, name = "Maria Lopez"): Promise<SeededChart> {
  const { token, practice, physician } = place;
  const patient = await seedPatient(practice, physician, name);
  const details = {
    address: { address_line1: "12 Main St", address_line2: "Apt 4", city: "Boston", state: "MA", zip: "02110" },
    race: "White",
    ethnicity: "Hispanic or Latino",
    preferred_language: "Spanish",
    suffix: "Jr.",
    emails: [{ email: "maria@example.org" }],
  };
  const phones = [{ phone: "617-555-0199", phone_type: "Mobile", digits: "6175550199", created_date: at }];
  await db.run(
    sql`UPDATE patient SET details = ${json(details)}, phones = ${json(phones)}, middle_name = 'José' WHERE id = ${patient}`,
  );
  const [first, last] = name.split(" ");
  const identity = { ...MARIA, patient_first_name: first, patient_last_name: last };
  for (const policy of [
    {
      rank: 1,
      carrier: "Acme & Sons Health",
      plan: "Gold",
      member_id: "M-1",
      group_id: "G-1",
      start_date: "2024-01-01",
      address: "9 Pine St",
      city: "Boston",
      state: "MA",
      zip: "02111",
      phone: "8005550111",
      payment_program: "Commercial - Other",
    },
    {
      rank: 2,
      carrier: "Beta Mutual",
      member_id: "M-2",
      relationship_to_insured: "Spouse",
      insured_person_first_name: "Juan",
      insured_person_last_name: "López",
      end_date: "2030-12-31",
    },
  ]) {
    const created = await call("POST", `patients/${patient}/policies`, { token, body: { ...identity, ...policy } });
    expect([created.status, created.status === 201 ? null : created.body]).toEqual([201, null]);
  }
  const ids = await create(token, [...background(patient, place), ...visit(patient, place)]);
  // Clients can't send this: it is what editing a note does to a line.
  await db.run(sql`
    UPDATE resource_record SET data = jsonb_set(data, '{bullets}', (
      SELECT jsonb_agg(CASE WHEN b->>'text' = 'Taken back' THEN b || jsonb_build_object('deleted_date', ${at}::text) ELSE b END)
      FROM jsonb_array_elements(data->'bullets') AS b))
    WHERE resource = 'visit_notes' AND patient_id = ${patient}`);
  return {
    patient,
    physician,
    visitNote: ids.visit_notes as number,
    report: ids.reports as number,
    labOrder: ids.lab_orders as number,
  };
}
