import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { StreamEventPage } from "@/components/stream/stream-detail";
import { NotFoundError } from "@/lib/errors";
import { includesRole } from "@/lib/staff/schema";
import { getStreamEvent } from "@/lib/sync/staff-queries";

export const metadata: Metadata = { title: "Stream event" };

type Props = { params: Promise<{ practice: string; sync: string }> };

export default async function StreamEvent({ params }: Props) {
  const access = await requireStaff(params);
  const { sync } = await params;
  if (!/^\d{1,15}$/.test(sync)) notFound();
  const initial = await getStreamEvent(access, Number(sync)).catch((error: unknown) => {
    if (error instanceof NotFoundError) notFound();
    throw error;
  });
  await auditPage(access, "staff.stream.get", [initial.patient_id]);
  return (
    <StreamEventPage
      practice={access.practices[0] as number}
      canRetry={includesRole(access.role, "staff")}
      canDiscard={includesRole(access.role, "admin")}
      initial={initial as Parameters<typeof StreamEventPage>[0]["initial"]}
    />
  );
}
