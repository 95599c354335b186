import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { requireStaff } from "@/app/(staff)/require-staff";
import { newRun } from "@/components/migration/messages/new-run";
import { NewRun } from "@/components/migration/new-run";
import { getRunDefaults } from "@/lib/migration/work/page-queries";

export const metadata: Metadata = newRun.meta;

type Props = { params: Promise<{ practice: string }> };

export default async function NewMigration({ params }: Props) {
  const { practice } = await requireStaff(params, "staff");
  const { today, columns } = await getRunDefaults(practice);
  return (
    <NuqsAdapter>
      <NewRun practice={practice} today={today} remembered={columns} />
    </NuqsAdapter>
  );
}
