import type { PatientRow } from "@/lib/insurance/patients/schema";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import type { PhysicianRow } from "@/lib/practice/physicians/schema";
import type { PracticeRow } from "@/lib/practice/practices/queries";

/** A chart holds at most so many records of a resource, the newest: a document of more would be read by nobody. */
export const MAX_RECORDS = 500;
/** And so much of their data, the newest too. Beyond that, to write the document would hold up every other request. */
export const MAX_BYTES = 1_500_000;

type Text = string | null | undefined;
/** A time, ISO 8601, or a day, `YYYY-MM-DD`. */
type Moment = string | null | undefined;

/** One record of a chart. Every field may be missing: what its resource declares may have changed since it was written. */
export interface Entry<T> {
  id: number;
  /** ISO 8601. */
  createdDate: string;
  data: Partial<T>;
}

export interface Allergy {
  name: string;
  reaction: Text;
  severity: "mild" | "moderate" | "severe" | "unknown";
  start_date: Moment;
  status: "Active" | "Inactive";
}

export interface DrugIntolerance {
  name: string;
  reaction: Text;
  /** The SNOMED CT code of mild, moderate or severe. */
  severity: "255604002" | "6736007" | "24484000";
  start_date: Moment;
  status: 1 | 2;
}

export interface Problem {
  description: string;
  dx: { icd10?: string[]; icd9?: string[]; snomed?: string }[];
  resolved_date: Moment;
  start_date: Moment;
  status: "Active" | "Controlled" | "Resolved";
  synopsis: Text;
}

export interface Drug {
  brand_name?: string;
  form?: string;
  generic_name?: string;
  name?: string;
  ndcs?: string[];
  route?: string;
  rxnorm_cuis?: string[];
  strength?: Text;
}

export interface Medication {
  auth_refills: number | null;
  directions: Text;
  medication: Drug;
  medication_type: "otc" | "prescription" | "discontinued";
  prescribing_physician: number;
  qty: Text;
  qty_units: Text;
  start_date: Moment;
  thread: { dc_date?: Moment; is_permanent?: boolean };
}

export interface Discontinuation {
  discontinue_date: Moment;
  med_order: number;
  reason: Text;
}

export interface Immunization {
  administered_date: Moment;
  administering_physician: number | null;
  description: Text;
  lot_number: Text;
  manufacturer_name: Text;
  method: Text;
  qty: Text;
  qty_units: Text;
  site: Text;
  vaccine: { cdc_name?: Text; cvx?: number | null; name?: string };
}

export interface Measure {
  note?: Text;
  units?: string;
  value?: Text;
}

export interface Vitals {
  bmi: number | null;
  bp: { diastolic?: Text; note?: Text; systolic?: Text }[];
  chart_date: Moment;
  document_date: Moment;
  hc: Measure[];
  height: Measure[];
  hr: Measure[];
  oxygen: Measure[];
  pain: Measure[];
  rr: Measure[];
  temperature: Measure[];
  visit_note: number | null;
  weight: Measure[];
}

export interface LabResult {
  abnormal_flag?: string;
  is_abnormal?: boolean;
  note?: Text;
  reference_max?: Text;
  reference_min?: Text;
  status?: string;
  test?: { code?: string; loinc?: Text; name?: string };
  test_category?: { description?: string; value?: string };
  text?: Text;
  units?: Text;
  value?: string;
}

export interface LabGrid {
  accession_number?: string;
  collected_date?: Moment;
  note?: Text;
  resulted_date?: Moment;
  results?: LabResult[];
  status?: string;
}

export interface Report {
  chart_date: Moment;
  custom_title: Text;
  document_date: Moment;
  files: { original_filename?: string }[] | null;
  grids: LabGrid[];
  is_urgent: boolean;
  order_status: Text;
  physician: number;
  printable_view: Text;
  report_type: string;
  reported_date: Moment;
  requisition_number: Text;
  signed_by: number | null;
  signed_date: Moment;
  vendor: number | null;
}

export interface Diagnosis {
  code?: string;
  description?: Text;
}

export interface LabOrder {
  answers: { question?: number; value?: Text }[] | null;
  bill_type: Text;
  chart_date: Moment;
  confidential: boolean;
  content: {
    collection_datetime?: Moment;
    fasting_method?: Text;
    icd10_codes?: Diagnosis[];
    patient_instructions?: Text;
    standing_order_end_date?: Moment;
    standing_order_frequency?: Text;
    stat_method?: Text;
    test_center_notes?: Text;
    tests?: {
      code?: Text;
      icd10_codes?: Diagnosis[];
      name?: string;
      questions?: { question?: { id?: number; value?: string } }[];
    }[];
  };
  document_date: Moment;
  facility: { vendor?: { display_name?: string; name?: string }; lab_facility?: string } | null;
  follow_up_method: Text;
  ordering_physician: number;
  printable_view: Text;
  requisition: number;
  resolution: { state?: "outstanding" | "fulfilled" | "cancelled"; note?: Text } | null;
  signed_by: number | null;
  signed_date: Moment;
  site: {
    address?: string;
    city?: string;
    name?: string;
    phone?: Text;
    state?: string;
    vendor?: { display_name?: string; name?: string };
    zip?: string;
  } | null;
  test_date: Moment;
  vendor: number | null;
}

export interface Bullet {
  category?: string;
  deleted_date?: Moment;
  replaced_by?: number | null;
  sequence?: number;
  text?: string;
}

export interface VisitNote {
  bullets: Bullet[];
  chart_date: Moment;
  checklists: Record<string, { name?: string; sequence?: number; value?: string }[]>;
  confidential: boolean;
  document_date: Moment;
  physician: number;
  signatures: { comments?: string; role?: string; signed_date?: Moment; user_name?: string }[];
  signed_by: number | null;
  signed_date: Moment;
  template: string;
  type: string;
}

export interface History {
  text: string;
  type: string;
}

export interface FamilyHistory {
  relationship: string;
  snomed_code: Text;
  text: string;
}

export interface ServiceLocation {
  address_line1: string;
  fax: Text;
  is_primary: boolean;
  name: string;
  phone: Text;
}

/** The records of a chart by the part they make, each newest first. */
export interface ChartRecords {
  allergies: Entry<Allergy>[];
  allergyDocumentation: Entry<object>[];
  discontinuations: Entry<Discontinuation>[];
  drugIntolerances: Entry<DrugIntolerance>[];
  familyHistories: Entry<FamilyHistory>[];
  histories: Entry<History>[];
  immunizations: Entry<Immunization>[];
  labOrders: Entry<LabOrder>[];
  medications: Entry<Medication>[];
  problems: Entry<Problem>[];
  reports: Entry<Report>[];
  visitNotes: Entry<VisitNote>[];
  vitals: Entry<Vitals>[];
}

export type ChartPart = keyof ChartRecords;

/** Whose a chart is, and who keeps it. */
export interface ChartOwner {
  patient: PatientRow;
  practice: PracticeRow & { phone: string | null; fax: string | null };
  /** The patient's own; null where there is none any more. */
  physician: PhysicianRow | null;
}

/** What is known of a patient. */
export interface Chart extends ChartOwner {
  /** The active ones, by rank. */
  policies: readonly PolicyRow[];
  records: ChartRecords;
  /** Parts of which there is more than the chart holds, and how many records it holds of each. */
  truncated: ReadonlyMap<ChartPart, number>;
  /** Physicians whom records name, by id. */
  physicians: ReadonlyMap<number, PhysicianRow>;
}
