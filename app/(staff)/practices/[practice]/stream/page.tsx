import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { requireStaff } from "@/app/(staff)/require-staff";
import { syncPage } from "@/components/replication/messages/sync";
import { ReplicationList } from "@/components/replication/replication-list";
import { replicationQuery } from "@/lib/insurance/replication/schema";
import { searchReplication } from "@/lib/insurance/replication/staff-queries";
import { readFromReplica } from "@/lib/platform/db/replica";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = { title: syncPage.title };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<PageParams> };

export default async function Sync({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params, "admin");
  const query = pageQueryOrDefaults(replicationQuery, await searchParams);
  const page = await readFromReplica(() => searchReplication(access, query));
  return (
    <NuqsAdapter>
      <ReplicationList practice={practice} initial={{ query, page }} />
    </NuqsAdapter>
  );
}
