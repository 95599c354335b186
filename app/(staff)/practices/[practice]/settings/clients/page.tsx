import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { requireSession, requireStaff } from "@/app/(staff)/require-staff";
import { Clients } from "@/components/clients/clients";
import { clientsPage } from "@/components/clients/messages";
import { listPracticeNames, viewClients } from "@/lib/practice/practices/staff-queries";

export const metadata: Metadata = { title: clientsPage.title };

export default async function ClientsPage({ params }: { params: Promise<{ practice: string }> }) {
  const { access, practice } = await requireStaff(params, "admin");
  const [initial, practices] = await Promise.all([viewClients(access), listPracticeNames(await requireSession())]);
  return (
    <NuqsAdapter>
      <Clients practice={practice} practices={practices} initial={initial} />
    </NuqsAdapter>
  );
}
