import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { auditExportPage, requireStaff } from "@/app/(staff)/require-staff";
import { recordsPage } from "@/components/migration/messages/review";
import { RecordsPage } from "@/components/migration/records-page";
import { convertedPatients, getRunView, searchRecords } from "@/lib/migration/check/review-queries";
import { recordsQuery } from "@/lib/migration/runs/staff-schema";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = recordsPage.meta;

type Props = { params: Promise<{ practice: string; run: string }>; searchParams: Promise<PageParams> };

export default async function MigrationRecords({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params);
  const { run: id } = readIds(await params, "run");
  const query = pageQueryOrDefaults(recordsQuery, await searchParams);
  const run = await readOrNotFound(getRunView(access, id));
  const page = await readFromReplica(() => searchRecords(access, id, query));
  await auditExportPage({ access, practice }, "staff.migrations.records", convertedPatients(page.results));
  return (
    <NuqsAdapter>
      <RecordsPage practice={practice} run={run} initial={{ query, page }} />
    </NuqsAdapter>
  );
}
