import type { Metadata } from "next";
import { z } from "zod";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { PatientTable } from "@/components/patients/patient-table";
import { patientSearchQuery } from "@/lib/patients/filter";
import { searchPatients } from "@/lib/patients/staff-queries";

export const metadata: Metadata = { title: "Patients" };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function Patients({ params, searchParams }: Props) {
  const access = await requireStaff(params);
  const parsed = z.object(patientSearchQuery).safeParse(await searchParams);
  const query = parsed.success ? parsed.data : z.object(patientSearchQuery).parse({});
  const initial = await searchPatients(access, query);
  await auditPage(
    access,
    "staff.patients.search",
    initial.results.map(({ id }) => id),
  );
  return <PatientTable practice={access.practices[0] as number} initial={{ query, data: initial }} />;
}
