import type { Access } from "@/lib/access/identity/access";
import { getPatient } from "@/lib/insurance/patients/queries";
import { listActivePolicies } from "@/lib/insurance/policies/queries";
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
import type { Data } from "@/lib/records/engine/data-types";
import { listRecords } from "@/lib/records/engine/list-queries";
import type { Resource } from "@/lib/records/engine/schema";
import {
  type Chart,
  type ChartOwner,
  type ChartPart,
  type ChartRecords,
  type Entry,
  MAX_BYTES,
  MAX_RECORDS,
} from "./schema";

/**
 * Reads a patient's chart: the records of these parts (default: all), the active policies, and the physicians that records name.
 *
 * @throws NotFoundError if the patient is absent or another practice's
 */
export async function getChart(access: Access, patientId: number, parts?: readonly ChartPart[]): Promise<Chart> {
  const owner = await getChartOwner(access, patientId);
  const [policies, { records, truncated }] = await Promise.all([
    listActivePolicies(access, patientId),
    listChartRecords(access, patientId, parts),
  ]);
  const physicians = await findPhysicians(access, physicianIds(records));
  return {
    ...owner,
    policies,
    records,
    truncated,
    physicians: new Map(physicians.map((physician) => [physician.id, physician])),
  };
}

async function listChartRecords(
  access: Access,
  patientId: number,
  parts: readonly ChartPart[] | undefined,
): Promise<Pick<Chart, "records" | "truncated">> {
  const truncated = new Map<ChartPart, number>();
  const list = async <D extends Data>(part: ChartPart, resource: Resource<D>): Promise<Entry<D>[]> => {
    if (parts && !parts.includes(part)) return [];
    const { entries, hasMore } = await listNewestRecords(access, resource, { patient: [patientId] });
    if (hasMore) truncated.set(part, entries.length);
    return entries;
  };
  const found = await Promise.all([
    list("allergies", allergies),
    list("allergyDocumentation", allergyDocumentation),
    list("discontinuations", discontinuedMedications),
    list("drugIntolerances", drugIntolerances),
    list("familyHistories", familyHistories),
    list("histories", histories),
    list("immunizations", immunizations),
    list("labOrders", labOrders),
    list("medications", medications),
    list("problems", problems),
    list("reports", reports),
    list("visitNotes", visitNotes),
    list("vitals", vitals),
  ]);
  const records: ChartRecords = {
    allergies: found[0],
    allergyDocumentation: found[1],
    discontinuations: found[2],
    drugIntolerances: found[3],
    familyHistories: found[4],
    histories: found[5],
    immunizations: found[6],
    labOrders: found[7],
    medications: found[8],
    problems: found[9],
    reports: found[10],
    visitNotes: found[11],
    vitals: found[12],
  };
  return { records, truncated };
}

/**
 * Reads the patient, practice and primary physician of a document.
 *
 * @throws NotFoundError if the patient is absent or another practice's
 */
export async function getChartOwner(access: Access, patientId: number): Promise<ChartOwner> {
  const patient = await getPatient(access, patientId);
  const [practice, [physician = null], locations] = await Promise.all([
    getPractice(access, patient.practice_id),
    findPhysicians(access, [patient.primary_physician_id]),
    listNewestRecords(access, serviceLocations, { practice: [patient.practice_id] }),
  ]);
  const main = locations.entries.find(({ data }) => data.is_primary) ?? locations.entries.at(-1);
  return {
    patient,
    physician,
    practice: { ...practice, phone: main?.data.phone ?? null, fax: main?.data.fax ?? null },
  };
}

async function listNewestRecords<D extends Data>(
  access: Access,
  resource: Resource<D>,
  query: Data,
): Promise<{ entries: Entry<D>[]; hasMore: boolean }> {
  const { rows, hasNext } = await listRecords(access, resource, query, {
    limit: MAX_RECORDS,
    order: "-id",
    maxBytes: MAX_BYTES,
  });
  const entries = rows.map((row) => ({ id: row.id, createdDate: row.created_date, data: row.data }));
  return { entries, hasMore: hasNext };
}

function physicianIds({ visitNotes, immunizations, medications, reports, labOrders }: ChartRecords): number[] {
  const ids = [
    ...[...visitNotes, ...reports].map(({ data }) => data.physician),
    ...immunizations.map(({ data }) => data.administering_physician),
    ...medications.map(({ data }) => data.prescribing_physician),
    ...labOrders.map(({ data }) => data.ordering_physician),
  ];
  return [...new Set(ids.filter((id) => typeof id === "number"))];
}
