import type { Metadata } from "next";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { syncEventPage } from "@/components/replication/messages/sync";
import { ReplicationEventPage } from "@/components/replication/replication-event-page";
import { getReplicationEvent } from "@/lib/insurance/replication/staff-queries";

export const metadata: Metadata = syncEventPage.meta;

type Props = { params: Promise<{ practice: string; sync: string }> };

export default async function SyncEvent({ params }: Props) {
  const { access, practice } = await requireStaff(params, "admin");
  const { sync } = readIds(await params, "sync");
  const initial = await readOrNotFound(getReplicationEvent(access, sync));
  await auditPage(access, "staff.stream.get", [initial.patient_id]);
  return <ReplicationEventPage practice={practice} initial={initial} />;
}
