import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { requireStaff } from "@/app/(staff)/require-staff";
import { EventList } from "@/components/events/event-list";
import { includesRole } from "@/lib/access/staff/roles";
import { staffEventQuery } from "@/lib/events/published/schema";
import { searchEvents } from "@/lib/events/published/staff-queries";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = { title: "Events" };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<PageParams> };

export default async function Events({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params);
  const query = pageQueryOrDefaults(staffEventQuery, await searchParams);
  const page = await readFromReplica(() => searchEvents(access, query));
  const canAct = includesRole(access.role, "staff");
  return (
    <NuqsAdapter>
      <EventList practice={practice} canAct={canAct} initial={{ query, page }} />
    </NuqsAdapter>
  );
}
