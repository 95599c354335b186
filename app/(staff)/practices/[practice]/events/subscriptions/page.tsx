import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { SubscriptionList } from "@/components/events/subscription-list";
import { includesRole } from "@/lib/access/staff/roles";
import { listPracticeSubscriptions } from "@/lib/events/subscriptions/staff-queries";

export const metadata: Metadata = { title: "Subscriptions" };

type Props = { params: Promise<{ practice: string }> };

export default async function Subscriptions({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  const results = await listPracticeSubscriptions(access);
  const canResume = includesRole(access.role, "admin");
  return <SubscriptionList practice={practice} canResume={canResume} initial={{ results }} />;
}
