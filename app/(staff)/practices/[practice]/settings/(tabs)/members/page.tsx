import type { Metadata } from "next";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { requireSession, requireStaff } from "@/app/(staff)/require-staff";
import { Members } from "@/components/settings/members";
import { membersPage } from "@/components/settings/messages/members";
import { listRecordChanges } from "@/lib/access/history/queries";
import { listMembers } from "@/lib/access/staff/member-queries";
import { listPracticeNames } from "@/lib/practice/practices/staff-queries";

export const metadata: Metadata = { title: membersPage.title };

export default async function MembersPage({ params }: { params: Promise<{ practice: string }> }) {
  const { access, practice } = await requireStaff(params, "admin");
  const [members, changes, practices] = await Promise.all([
    listMembers(access),
    listRecordChanges(access, { type: "staff_user", limit: 50 }),
    listPracticeNames(await requireSession()),
  ]);
  return (
    <NuqsAdapter>
      <Members
        practice={practice}
        currentUserId={access.actor.id}
        practices={practices}
        initial={{ members, changes }}
      />
    </NuqsAdapter>
  );
}
