import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { requireStaff } from "@/app/(staff)/require-staff";
import { helpPage as text } from "@/components/help/messages/help";
import { StaffGuide } from "@/components/help/staff-guide";
import { findStaffGuide, STAFF_GUIDES } from "@/lib/api/guides/queries";

type Props = { params: Promise<{ practice: string; guide: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const guide = await findStaffGuide((await params).guide);
  return { title: guide?.title ?? text.title };
}

export default async function StaffGuidePage({ params }: Props) {
  const { practice } = await requireStaff(params);
  const guide = await findStaffGuide((await params).guide);
  if (!guide) notFound();
  return <StaffGuide practice={practice} guides={STAFF_GUIDES} open={guide} />;
}
