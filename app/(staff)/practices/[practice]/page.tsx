import type { Metadata } from "next";
import { auditPage, requireSession, requireStaff } from "@/app/(staff)/require-staff";
import { FrontDesk } from "@/components/home/front-desk";
import { PracticeOverview } from "@/components/home/practice-overview";
import { mainPageNames } from "@/components/shell/messages/shell";
import type { StaffAccess } from "@/lib/access/staff/access";
import { listPracticeHomes, readPracticeDetail } from "@/lib/api/home/queries";
import { listRecentPatients } from "@/lib/insurance/patients/recent-queries";
import { measureReadiness } from "@/lib/migration/readiness/queries";
import { listAssignedFindings } from "@/lib/migration/runs/assigned-queries";
import { readFromReplica } from "@/lib/platform/db/replica";

export const metadata: Metadata = { title: mainPageNames.home };

export default async function HomePage({ params }: { params: Promise<{ practice: string }> }) {
  const { access, practice } = await requireStaff(params);
  const [recent, assigned, overview] = await Promise.all([
    readRecentPatients(access),
    listAssignedFindings(access),
    access.role === "admin" ? readOverview(access, practice) : null,
  ]);
  return (
    <>
      <FrontDesk practice={practice} recent={recent} assigned={assigned} />
      {overview && <PracticeOverview practice={practice} initial={overview} />}
    </>
  );
}

async function readRecentPatients(access: StaffAccess) {
  const recent = await listRecentPatients(access);
  await auditPage(
    access,
    "staff.home.recent",
    recent.map(({ id }) => id),
  );
  return recent;
}

/** Reads the state of the admin's practices. */
async function readOverview(access: StaffAccess, practice: number) {
  const session = await requireSession();
  const [practices, readiness] = await readFromReplica(() =>
    Promise.all([listPracticeHomes(session), measureReadiness(practice)]),
  );
  const detail = await readPracticeDetail(
    access,
    practices.find(({ id }) => id === practice),
  );
  return { detail: { ...detail, readiness }, practices };
}
