import type { Metadata } from "next";
import { idsOf, readOrNotFound } from "@/app/(staff)/read-record";
import { requireStaff } from "@/app/(staff)/require-staff";
import { RunPage } from "@/components/migration/run-page";
import { getRunPage } from "@/lib/migration/run-page-queries";

export const metadata: Metadata = { title: "Migration run" };

type Props = { params: Promise<{ practice: string; run: string }> };

export default async function MigrationRun({ params }: Props) {
  const access = await requireStaff(params);
  const { run } = idsOf(await params, "run");
  const initial = await readOrNotFound(getRunPage(access, run));
  return <RunPage practice={access.practices[0] as number} role={access.role} initial={initial} />;
}
