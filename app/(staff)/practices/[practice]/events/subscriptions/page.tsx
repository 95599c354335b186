import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { SubscriptionList } from "@/components/events/subscription-list";
import { listPracticeSubscriptions } from "@/lib/events/subscriptions/staff-queries";

export const metadata: Metadata = { title: "Subscriptions" };

type Props = { params: Promise<{ practice: string }> };

export default async function Subscriptions({ params }: Props) {
  const { access, practice } = await requireStaff(params, "admin");
  const results = await listPracticeSubscriptions(access);
  return <SubscriptionList practice={practice} initial={{ results }} />;
}
