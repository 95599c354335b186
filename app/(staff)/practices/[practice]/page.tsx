import type { Metadata } from "next";
import { requireSession, requireStaff } from "@/app/(staff)/require-staff";
import { Home } from "@/components/home/home";
import { listPracticeHomes, readPracticeDetail } from "@/lib/api/home/queries";
import { readFromReplica } from "@/lib/platform/db/replica";

export const metadata: Metadata = { title: "Home" };

export default async function HomePage({ params }: { params: Promise<{ practice: string }> }) {
  const session = await requireSession();
  const { access, practice } = await requireStaff(params);
  const practices = await readFromReplica(() => listPracticeHomes(session));
  const detail = await readPracticeDetail(
    access,
    practices.find(({ id }) => id === practice),
  );
  return <Home practice={detail.practice.id} role={access.role} initial={{ detail, practices }} />;
}
