import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { practicePage } from "@/components/settings/messages/practice";
import { PracticeSettings } from "@/components/settings/practice-settings";
import { getSettingsPage } from "@/lib/practice/practices/staff-queries";

export const metadata: Metadata = { title: practicePage.title };

export default async function PracticeSettingsPage({ params }: { params: Promise<{ practice: string }> }) {
  const { access, practice } = await requireStaff(params, "admin");
  const initial = await getSettingsPage(access, practice);
  return <PracticeSettings practice={practice} initial={initial} />;
}
