import type { Metadata } from "next";
import { z } from "zod";
import { requireStaff } from "@/app/(staff)/require-staff";
import { StreamList } from "@/components/stream/stream-list";
import { includesRole } from "@/lib/staff/schema";
import { streamQuery } from "@/lib/sync/schema";
import { searchStream } from "@/lib/sync/staff-queries";

export const metadata: Metadata = { title: "Stream" };

type Props = { params: Promise<{ practice: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function Stream({ params, searchParams }: Props) {
  const access = await requireStaff(params);
  const parsed = z.object(streamQuery).safeParse(await searchParams);
  const query = parsed.success ? parsed.data : z.object(streamQuery).parse({});
  const initial = await searchStream(access, query);
  const canAct = includesRole(access.role, "staff");
  return <StreamList practice={access.practices[0] as number} canAct={canAct} initial={initial} />;
}
