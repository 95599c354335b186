import type { Metadata } from "next";
import { z } from "zod";
import { auditLookPage, requireStaff } from "@/app/(staff)/require-staff";
import { AuditLog } from "@/components/audit/audit-log";
import { auditQuery } from "@/lib/audit/schema";
import { countAuditEntries, listAuditActors, listAuditEntries } from "@/lib/audit/staff-queries";

export const metadata: Metadata = { title: "Audit" };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function AuditPage({ params, searchParams }: Props) {
  const access = await requireStaff(params, "admin");
  const practice = access.practices[0] as number;
  const parsed = z.object(auditQuery).safeParse(await searchParams);
  const [initial, actors, entries] = await Promise.all([
    parsed.success ? listAuditEntries(access, practice, parsed.data) : null,
    listAuditActors(access, practice),
    countAuditEntries(access, practice),
  ]);
  if (parsed.success) await auditLookPage(access, "staff.audit.list", parsed.data);
  return <AuditLog practice={practice} actors={actors} entries={entries} initial={initial} />;
}
