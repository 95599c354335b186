import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { pageTitles } from "@/components/patients/messages/patient-page";
import { PatientTable } from "@/components/patients/patient-table";
import { patientSearchQuery } from "@/lib/insurance/patients/filter";
import { searchPatients } from "@/lib/insurance/patients/staff-queries";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = { title: pageTitles.patients };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<PageParams> };

export default async function Patients({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params);
  const query = pageQueryOrDefaults(patientSearchQuery, await searchParams);
  const initial = await readFromReplica(() => searchPatients(access, query));
  await auditPage(
    access,
    "staff.patients.search",
    initial.results.map(({ id }) => id),
  );
  return (
    <NuqsAdapter>
      <PatientTable practice={practice} initial={{ query, data: initial }} />
    </NuqsAdapter>
  );
}
