import type { Metadata } from "next";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { pageTitles } from "@/components/patients/messages/patient-page";
import { PatientPage } from "@/components/patients/patient-page";
import { listTimeline, viewPatientPage } from "@/lib/insurance/patient-page/queries";

export const metadata: Metadata = { title: pageTitles.patient };

type Props = { params: Promise<{ practice: string; patient: string }> };

export default async function Patient({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  const { patient } = readIds(await params, "patient");
  const initial = await readOrNotFound(viewPatientPage(access, patient, "shown"));
  // The legacy interface has no history.
  const timeline = initial.versioning
    ? await listTimeline(access, patient, { after: null, limit: 30 })
    : { results: [], next: null };
  await auditPage(access, "staff.patients.get", [patient]);
  return <PatientPage practice={practice} role={access.role} initial={initial} timeline={timeline} />;
}
