import type { Metadata } from "next";
import { idsOf, readOrNotFound } from "@/app/(staff)/read-record";
import { requireStaff } from "@/app/(staff)/require-staff";
import { EventPage } from "@/components/events/event-detail";
import { includesRole } from "@/lib/access/staff/schema";
import { getPracticeEvent } from "@/lib/events/published/staff-queries";

export const metadata: Metadata = { title: "Event" };

type Props = { params: Promise<{ practice: string; event: string }> };

export default async function Event({ params }: Props) {
  const access = await requireStaff(params);
  const { event } = idsOf(await params, "event");
  const initial = await readOrNotFound(getPracticeEvent(access, event));
  const canAct = includesRole(access.role, "staff");
  return <EventPage practice={access.practices[0] as number} canAct={canAct} initial={initial} />;
}
