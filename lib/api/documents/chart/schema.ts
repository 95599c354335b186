import type { PatientRow } from "@/lib/insurance/patients/schema";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import type { PhysicianRow } from "@/lib/practice/physicians/schema";
import type { PracticeRow } from "@/lib/practice/practices/queries";
import type { labOrders } from "@/lib/records/catalog/orders/lab-orders";
import type { discontinuedMedications } from "@/lib/records/catalog/patient-document/discontinued-medications";
import type { medications } from "@/lib/records/catalog/patient-document/medications";
import type { reports } from "@/lib/records/catalog/patient-document/reports";
import type { visitNotes } from "@/lib/records/catalog/patient-document/visit-notes";
import type { vitals } from "@/lib/records/catalog/patient-document/vitals";
import type { allergies } from "@/lib/records/catalog/patient-profile/allergies";
import type { allergyDocumentation } from "@/lib/records/catalog/patient-profile/allergy-documentation";
import type { drugIntolerances } from "@/lib/records/catalog/patient-profile/drug-intolerances";
import type { familyHistories } from "@/lib/records/catalog/patient-profile/family-histories";
import type { histories } from "@/lib/records/catalog/patient-profile/histories";
import type { immunizations } from "@/lib/records/catalog/patient-profile/immunizations";
import type { problems } from "@/lib/records/catalog/patient-profile/problems";
import type { Resource } from "@/lib/records/engine/schema";

/** The most records of a resource in a chart, newest first. A longer document would be of no use. */
export const MAX_RECORDS = 500;
/** The most bytes of a resource's records in a chart, newest first. Rendering more takes too long. */
export const MAX_BYTES = 1_500_000;

type PartialDeep<T> = T extends readonly (infer E)[]
  ? readonly PartialDeep<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartialDeep<T[K]> | undefined }
    : T;

/** The data of a resource's records. Values may be missing, because the declaration may have changed after the write. */
type DataOf<R> = R extends Resource<infer D> ? PartialDeep<D> : never;

/** A record in a chart. */
export interface Entry<D> {
  id: number;
  /** ISO 8601. */
  createdDate: string;
  data: D;
}

export type Allergy = DataOf<typeof allergies>;
export type DrugIntolerance = DataOf<typeof drugIntolerances>;
export type Medication = DataOf<typeof medications>;
export type Drug = NonNullable<Medication["medication"]>;
export type Immunization = DataOf<typeof immunizations>;
export type Vitals = DataOf<typeof vitals>;
export type VisitNote = DataOf<typeof visitNotes>;
export type Bullet = NonNullable<VisitNote["bullets"]>[number];
export type Report = DataOf<typeof reports>;
export type LabGrid = NonNullable<Report["grids"]>[number];
export type LabResult = NonNullable<LabGrid["results"]>[number];
export type LabOrder = DataOf<typeof labOrders>;

/** The records of a chart, newest first. */
export interface ChartRecords {
  allergies: Entry<Allergy>[];
  allergyDocumentation: Entry<DataOf<typeof allergyDocumentation>>[];
  discontinuations: Entry<DataOf<typeof discontinuedMedications>>[];
  drugIntolerances: Entry<DrugIntolerance>[];
  familyHistories: Entry<DataOf<typeof familyHistories>>[];
  histories: Entry<DataOf<typeof histories>>[];
  immunizations: Entry<Immunization>[];
  labOrders: Entry<LabOrder>[];
  medications: Entry<Medication>[];
  problems: Entry<DataOf<typeof problems>>[];
  reports: Entry<Report>[];
  visitNotes: Entry<VisitNote>[];
  vitals: Entry<Vitals>[];
}

export type ChartPart = keyof ChartRecords;

/** The patient of a chart, and the patient's practice and primary physician. */
export interface ChartOwner {
  patient: PatientRow;
  practice: PracticeRow & { phone: string | null; fax: string | null };
  /** Null if the patient's physician is no longer in the practice. */
  physician: PhysicianRow | null;
}

export interface Chart extends ChartOwner {
  /** The active policies, by rank. */
  policies: readonly PolicyRow[];
  records: ChartRecords;
  /** How many records the chart holds of each resource that has more than that. */
  truncated: ReadonlyMap<ChartPart, number>;
  /** The physicians that records name, by ID. */
  physicians: ReadonlyMap<number, PhysicianRow>;
}
