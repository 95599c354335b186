import type { Metadata } from "next";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { auditExportPage, requireStaff } from "@/app/(staff)/require-staff";
import { recordPage } from "@/components/migration/messages/review";
import { RecordPage } from "@/components/migration/record-page";
import { listColleagues } from "@/lib/access/staff/member-queries";
import { includesRole } from "@/lib/access/staff/roles";
import { getRecordPage } from "@/lib/migration/check/record-queries";
import { convertedPatients } from "@/lib/migration/check/review-queries";

export const metadata: Metadata = recordPage.meta;

type Props = { params: Promise<{ practice: string; run: string; number: string }> };

export default async function MigrationRecord({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  const { run, number } = readIds(await params, "run", "number");
  const initial = await readOrNotFound(getRecordPage(access, run, number));
  await auditExportPage({ access, practice }, "staff.migrations.record", convertedPatients([initial.record]));
  return (
    <RecordPage
      practice={practice}
      canAct={includesRole(access.role, "staff")}
      colleagues={await listColleagues(access)}
      initial={initial}
    />
  );
}
