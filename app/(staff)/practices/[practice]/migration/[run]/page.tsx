import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { requireStaff } from "@/app/(staff)/require-staff";
import { runPage } from "@/components/migration/messages/run";
import { RunPage } from "@/components/migration/run-page";
import { getRunPage } from "@/lib/migration/work/page-queries";

export const metadata: Metadata = runPage.meta;

type Props = { params: Promise<{ practice: string; run: string }> };

export default async function MigrationRun({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  const { run } = readIds(await params, "run");
  const initial = await readOrNotFound(getRunPage(access, run));
  return (
    <NuqsAdapter>
      <RunPage practice={practice} role={access.role} initial={initial} />
    </NuqsAdapter>
  );
}
