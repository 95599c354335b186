import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { auditExportPage, requireStaff } from "@/app/(staff)/require-staff";
import { FindingsPage } from "@/components/migration/findings-page";
import { findingsPage } from "@/components/migration/messages/review";
import { listColleagues } from "@/lib/access/staff/member-queries";
import { includesRole } from "@/lib/access/staff/roles";
import { searchFindings } from "@/lib/migration/check/review-queries";
import { findingsQuery } from "@/lib/migration/runs/staff-schema";
import { getRunPage } from "@/lib/migration/work/page-queries";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = findingsPage.meta;

type Props = { params: Promise<{ practice: string; run: string }>; searchParams: Promise<PageParams> };

export default async function MigrationFindings({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params);
  const { run: id } = readIds(await params, "run");
  const query = pageQueryOrDefaults(findingsQuery, await searchParams);
  const [run, page, colleagues] = await readOrNotFound(
    Promise.all([
      getRunPage(access, id),
      readFromReplica(() => searchFindings(access, id, query)),
      listColleagues(access),
    ]),
  );
  await auditExportPage({ access, practice }, "staff.migrations.findings", []);
  return (
    <NuqsAdapter>
      <FindingsPage
        practice={practice}
        canAct={includesRole(access.role, "staff")}
        run={run}
        colleagues={colleagues}
        initial={{ query, page }}
      />
    </NuqsAdapter>
  );
}
