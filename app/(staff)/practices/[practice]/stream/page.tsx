import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { ReplicationList } from "@/components/replication/replication-list";
import { type PageParams, pageQueryOrDefaults } from "@/lib/http/query";
import { includesRole } from "@/lib/staff/schema";
import { streamQuery } from "@/lib/sync/schema";
import { searchStream } from "@/lib/sync/staff-queries";

export const metadata: Metadata = { title: "Sync" };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<PageParams> };

export default async function Stream({ params, searchParams }: Props) {
  const access = await requireStaff(params);
  const query = pageQueryOrDefaults(streamQuery, await searchParams);
  const page = await searchStream(access, query);
  const canAct = includesRole(access.role, "staff");
  return <ReplicationList practice={access.practices[0] as number} canAct={canAct} initial={{ query, page }} />;
}
