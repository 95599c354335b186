import type { Metadata } from "next";
import { headers } from "next/headers";
import { requireStaff } from "@/app/(staff)/require-staff";
import { WhatIf } from "@/components/migration/what-if";
import { config } from "@/lib/config";

export const metadata: Metadata = { title: "What would happen" };

type Props = { params: Promise<{ practice: string }> };

export default async function MigrationWhatIf({ params }: Props) {
  const access = await requireStaff(params);
  const base = config().PUBLIC_URL ?? `http://${(await headers()).get("host") ?? "localhost"}`;
  return <WhatIf practice={access.practices[0] as number} base={base} />;
}
