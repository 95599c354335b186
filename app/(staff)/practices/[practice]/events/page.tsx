import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { requireStaff } from "@/app/(staff)/require-staff";
import { EventList } from "@/components/events/event-list";
import { eventsPage } from "@/components/events/messages/events";
import { staffEventQuery } from "@/lib/events/published/schema";
import { searchEvents } from "@/lib/events/published/staff-queries";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = { title: eventsPage.title };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<PageParams> };

export default async function Events({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params, "admin");
  const query = pageQueryOrDefaults(staffEventQuery, await searchParams);
  const page = await readFromReplica(() => searchEvents(access, query));
  return (
    <NuqsAdapter>
      <EventList practice={practice} initial={{ query, page }} />
    </NuqsAdapter>
  );
}
