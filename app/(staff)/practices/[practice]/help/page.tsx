import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { HelpPage } from "@/components/help/help-page";
import { helpPage as text } from "@/components/help/messages/help";
import { includesRole } from "@/lib/access/staff/roles";
import { STAFF_GUIDES } from "@/lib/api/guides/queries";

export const metadata: Metadata = { title: text.title };

type Props = { params: Promise<{ practice: string }> };

export default async function Help({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  return <HelpPage practice={practice} isAdmin={includesRole(access.role, "admin")} guides={STAFF_GUIDES} />;
}
