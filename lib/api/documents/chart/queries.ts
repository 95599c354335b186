import type { Access } from "@/lib/access/identity/access";
import { getPatient } from "@/lib/insurance/patients/queries";
import { BY_POSITION, listPolicies } from "@/lib/insurance/policies/queries";
import { findPhysicians } from "@/lib/practice/physicians/queries";
import { getPractice } from "@/lib/practice/practices/queries";
import { labOrders } from "@/lib/records/catalog/orders/lab-orders";
import { discontinuedMedications } from "@/lib/records/catalog/patient-document/discontinued-medications";
import { medications } from "@/lib/records/catalog/patient-document/medications";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { visitNotes } from "@/lib/records/catalog/patient-document/visit-notes";
import { vitals } from "@/lib/records/catalog/patient-document/vitals";
import { allergies } from "@/lib/records/catalog/patient-profile/allergies";
import { allergyDocumentation } from "@/lib/records/catalog/patient-profile/allergy-documentation";
import { drugIntolerances } from "@/lib/records/catalog/patient-profile/drug-intolerances";
import { familyHistories } from "@/lib/records/catalog/patient-profile/family-histories";
import { histories } from "@/lib/records/catalog/patient-profile/histories";
import { immunizations } from "@/lib/records/catalog/patient-profile/immunizations";
import { problems } from "@/lib/records/catalog/patient-profile/problems";
import { serviceLocations } from "@/lib/records/catalog/practice/service-locations";
import { listRecords } from "@/lib/records/engine/list-queries";
import type { RecordRow, Resource } from "@/lib/records/engine/schema";
import {
  type Chart,
  type ChartOwner,
  type ChartPart,
  type ChartRecords,
  type Entry,
  MAX_BYTES,
  MAX_RECORDS,
  type ServiceLocation,
} from "./schema";

const RESOURCES: Record<ChartPart, Resource> = {
  allergies,
  allergyDocumentation,
  discontinuations: discontinuedMedications,
  drugIntolerances,
  familyHistories,
  histories,
  immunizations,
  labOrders,
  medications,
  problems,
  reports,
  visitNotes,
  vitals,
};
export const CHART_PARTS = Object.keys(RESOURCES) as readonly ChartPart[];

/**
 * A patient's chart: the records of the parts asked for, the active policies, and who they name.
 *
 * @throws NotFoundError where the patient is absent or another practice's
 */
export async function getChart(
  access: Access,
  patientId: number,
  parts: readonly ChartPart[] = CHART_PARTS,
): Promise<Chart> {
  const owner = await getChartOwner(access, patientId);
  const [policies, ...found] = await Promise.all([
    listPolicies(access, patientId, { status: "active" }, { limit: 100, order: BY_POSITION }),
    ...parts.map((part) => listNewestRecords(access, RESOURCES[part], { patient: [patientId] })),
  ]);
  const nothing = Object.fromEntries(CHART_PARTS.map((part) => [part, []])) as unknown as ChartRecords;
  const read = Object.fromEntries(parts.map((part, at) => [part, found[at]?.entries])) as Partial<ChartRecords>;
  const records = { ...nothing, ...read };
  const physicians = await findPhysicians(access, physicianIds(records));
  return {
    ...owner,
    policies: policies.rows,
    records,
    truncated: new Map(
      parts.flatMap((part, at) => (found[at]?.isTruncated ? [[part, found[at].entries.length] as const] : [])),
    ),
    physicians: new Map(physicians.map((physician) => [physician.id, physician])),
  };
}

/**
 * Whose a document is: patient, practice and physician.
 *
 * @throws NotFoundError where the patient is absent or another practice's
 */
export async function getChartOwner(access: Access, patientId: number): Promise<ChartOwner> {
  const patient = await getPatient(access, patientId);
  const [practice, [physician = null], places] = await Promise.all([
    getPractice(access, patient.practice_id),
    findPhysicians(access, [patient.primary_physician_id]),
    listNewestRecords(access, serviceLocations, { practice: [patient.practice_id] }),
  ]);
  const locations = places.entries as Entry<ServiceLocation>[];
  const main = locations.find(({ data }) => data.is_primary) ?? locations.at(-1);
  return {
    patient,
    physician,
    practice: { ...practice, phone: main?.data.phone ?? null, fax: main?.data.fax ?? null },
  };
}

async function listNewestRecords(access: Access, resource: Resource, asked: Readonly<Record<string, unknown>>) {
  const { rows, hasNext } = await listRecords(access, resource, asked, {
    limit: MAX_RECORDS,
    order: "-id",
    mostBytes: MAX_BYTES,
  });
  return { entries: rows.map(toEntry), isTruncated: hasNext };
}

function toEntry(row: RecordRow): Entry<Record<string, unknown>> {
  return { id: row.id, createdDate: row.created_date, data: row.data };
}

function physicianIds({ visitNotes, immunizations, medications, reports, labOrders }: ChartRecords): number[] {
  const ids = [
    ...[...visitNotes, ...reports].map(({ data }) => data.physician),
    ...immunizations.map(({ data }) => data.administering_physician),
    ...medications.map(({ data }) => data.prescribing_physician),
    ...labOrders.map(({ data }) => data.ordering_physician),
  ];
  return [...new Set(ids.filter((id): id is number => typeof id === "number"))];
}
