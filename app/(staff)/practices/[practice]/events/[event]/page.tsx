import type { Metadata } from "next";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { requireStaff } from "@/app/(staff)/require-staff";
import { EventPage } from "@/components/events/event-detail";
import { eventPage } from "@/components/events/messages/events";
import { getPracticeEvent } from "@/lib/events/published/staff-queries";

export const metadata: Metadata = eventPage.meta;

type Props = { params: Promise<{ practice: string; event: string }> };

export default async function Event({ params }: Props) {
  const { access, practice } = await requireStaff(params, "admin");
  const { event } = readIds(await params, "event");
  const initial = await readOrNotFound(getPracticeEvent(access, event));
  return <EventPage practice={practice} initial={initial} />;
}
