import type { Metadata } from "next";
import { auditExportPage, requireStaff } from "@/app/(staff)/require-staff";
import { readinessPage } from "@/components/migration/messages/readiness";
import { ReadinessPage } from "@/components/migration/readiness-page";
import { includesRole } from "@/lib/access/staff/roles";
import { getReadiness, listUnready } from "@/lib/migration/readiness/queries";
import { readFromReplica } from "@/lib/platform/db/replica";

export const metadata: Metadata = readinessPage.meta;

const MAX_SHOWN = 100;

type Props = { params: Promise<{ practice: string }> };

export default async function ReadinessReport({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  const readiness = await readFromReplica(() => getReadiness(access, practice));
  const [unready] = await Promise.all([
    readiness.run ? listUnready(access, readiness.run.id, { limit: MAX_SHOWN }) : [],
    auditExportPage({ access, practice }, "staff.migrations.readiness", []),
  ]);
  const initial = { readiness, unready, limit: MAX_SHOWN };
  return <ReadinessPage practice={practice} isAdmin={includesRole(access.role, "admin")} initial={initial} />;
}
