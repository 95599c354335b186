import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { PracticeSettings } from "@/components/settings/practice-settings";
import { getSettingsPage } from "@/lib/practice/practices/settings-queries";

export const metadata: Metadata = { title: "Practice settings" };

export default async function PracticeSettingsPage({ params }: { params: Promise<{ practice: string }> }) {
  const access = await requireStaff(params);
  const practice = access.practices[0] as number;
  const initial = await getSettingsPage(access, practice);
  return <PracticeSettings practice={practice} admin={access.role === "admin"} initial={initial} />;
}
