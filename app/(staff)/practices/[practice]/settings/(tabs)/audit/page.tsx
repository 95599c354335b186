import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { auditLogPage, requireStaff } from "@/app/(staff)/require-staff";
import { AuditLog } from "@/components/audit/audit-log";
import { auditLog } from "@/components/audit/messages/log";
import { auditQuery } from "@/lib/access/audit/schema";
import { countAuditEntries, listAuditActors } from "@/lib/access/audit/staff-queries";
import { listNamedAuditEntries } from "@/lib/api/audit/queries";
import { selectRunNames } from "@/lib/migration/runs/queries";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, parsePageQuery } from "@/lib/platform/http/query";

export const metadata: Metadata = { title: auditLog.title };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<PageParams> };

export default async function AuditPage({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params, "admin");
  const query = parsePageQuery(auditQuery, await searchParams);
  const [initial, actors, entries] = await readFromReplica(() =>
    Promise.all([
      query && listNamedAuditEntries(access, practice, { query, selectRunNames }),
      listAuditActors(access, practice),
      countAuditEntries(access, practice),
    ]),
  );
  if (query) await auditLogPage({ access, practice }, "staff.audit.list", query);
  return (
    <NuqsAdapter>
      <AuditLog practice={practice} actors={actors} entries={entries} initial={initial} />
    </NuqsAdapter>
  );
}
