import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { whatIf } from "@/components/migration/messages/what-if";
import { WhatIf } from "@/components/migration/what-if";
import { publicOrigin } from "@/lib/platform/config";

export const metadata: Metadata = { title: whatIf.title };

type Props = { params: Promise<{ practice: string }> };

export default async function MigrationWhatIf({ params }: Props) {
  const { practice } = await requireStaff(params);
  return <WhatIf practice={practice} base={publicOrigin()} />;
}
