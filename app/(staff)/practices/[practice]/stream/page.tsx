import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { requireStaff } from "@/app/(staff)/require-staff";
import { ReplicationList } from "@/components/replication/replication-list";
import { includesRole } from "@/lib/access/staff/roles";
import { replicationQuery } from "@/lib/insurance/replication/schema";
import { searchReplication } from "@/lib/insurance/replication/staff-queries";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = { title: "Sync" };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<PageParams> };

export default async function Sync({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params);
  const query = pageQueryOrDefaults(replicationQuery, await searchParams);
  const page = await readFromReplica(() => searchReplication(access, query));
  const canAct = includesRole(access.role, "staff");
  return (
    <NuqsAdapter>
      <ReplicationList practice={practice} canAct={canAct} initial={{ query, page }} />
    </NuqsAdapter>
  );
}
