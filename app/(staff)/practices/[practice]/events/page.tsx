import type { Metadata } from "next";
import { z } from "zod";
import { requireStaff } from "@/app/(staff)/require-staff";
import { EventList } from "@/components/events/event-list";
import { staffEventQuery } from "@/lib/events/schema";
import { searchEvents } from "@/lib/events/staff-queries";
import { includesRole } from "@/lib/staff/schema";

export const metadata: Metadata = { title: "Events" };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function Events({ params, searchParams }: Props) {
  const access = await requireStaff(params);
  const parsed = z.object(staffEventQuery).safeParse(await searchParams);
  const query = parsed.success ? parsed.data : z.object(staffEventQuery).parse({});
  const initial = await searchEvents(access, query);
  const canAct = includesRole(access.role, "staff");
  return <EventList practice={access.practices[0] as number} canAct={canAct} initial={initial} />;
}
