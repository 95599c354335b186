import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { subscriptionsPage } from "@/components/events/messages/subscriptions";
import { SubscriptionList } from "@/components/events/subscription-list";
import { listPracticeSubscriptions } from "@/lib/events/subscriptions/staff-queries";

export const metadata: Metadata = { title: subscriptionsPage.title };

type Props = { params: Promise<{ practice: string }> };

export default async function Subscriptions({ params }: Props) {
  const { access, practice } = await requireStaff(params, "admin");
  const results = await listPracticeSubscriptions(access);
  return <SubscriptionList practice={practice} initial={{ results }} />;
}
