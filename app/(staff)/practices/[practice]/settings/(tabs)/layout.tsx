import type { ReactNode } from "react";
import { requireStaff } from "@/app/(staff)/require-staff";
import { settingsNav } from "@/components/settings/messages/practice";
import { SettingsNav } from "@/components/settings/settings-nav";
import { PageHeader } from "@/components/ui/page-header";

type Props = { children: ReactNode; params: Promise<{ practice: string }> };

export default async function SettingsLayout({ children, params }: Props) {
  const { practice } = await requireStaff(params);
  return (
    <>
      <PageHeader title={settingsNav.title} />
      <SettingsNav base={`/practices/${practice}/settings`} />
      {children}
    </>
  );
}
