import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { newsPage as text } from "@/components/help/messages/help";
import { NewsList } from "@/components/help/news-list";
import { includesRole } from "@/lib/access/staff/roles";

export const metadata: Metadata = { title: text.title };

type Props = { params: Promise<{ practice: string }> };

export default async function News({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  return <NewsList practice={practice} isAdmin={includesRole(access.role, "admin")} />;
}
