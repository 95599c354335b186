import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { overview } from "@/components/migration/messages/overview";
import { RunsOverview } from "@/components/migration/runs-overview";
import { includesRole } from "@/lib/access/staff/roles";
import { searchRuns } from "@/lib/migration/check/review-queries";
import { getReadiness } from "@/lib/migration/readiness/queries";
import { getMigrationSteps } from "@/lib/migration/readiness/steps-queries";
import { readFromReplica } from "@/lib/platform/db/replica";

export const metadata: Metadata = { title: overview.title };

type Props = { params: Promise<{ practice: string }> };

export default async function Migration({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  const runs = await readFromReplica(() => searchRuns(access, { offset: 0, limit: 50 }));
  const readiness = await getReadiness(access, practice);
  const steps = await getMigrationSteps(access, practice, readiness);
  const role = { canAct: includesRole(access.role, "staff"), isAdmin: includesRole(access.role, "admin") };
  return <RunsOverview practice={practice} {...role} initial={{ runs, readiness, steps }} />;
}
