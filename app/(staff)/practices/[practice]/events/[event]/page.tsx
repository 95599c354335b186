import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { requireStaff } from "@/app/(staff)/require-staff";
import { EventPage } from "@/components/events/event-detail";
import { NotFoundError } from "@/lib/errors";
import { getPracticeEvent } from "@/lib/events/staff-queries";
import { includesRole } from "@/lib/staff/schema";

export const metadata: Metadata = { title: "Event" };

type Props = { params: Promise<{ practice: string; event: string }> };

export default async function Event({ params }: Props) {
  const access = await requireStaff(params);
  const { event } = await params;
  if (!/^\d{1,15}$/.test(event)) notFound();
  const initial = await getPracticeEvent(access, Number(event)).catch((error: unknown) => {
    if (error instanceof NotFoundError) notFound();
    throw error;
  });
  const canAct = includesRole(access.role, "staff");
  return <EventPage practice={access.practices[0] as number} canAct={canAct} initial={initial} />;
}
