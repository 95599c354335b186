import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { readIds, readOrGone } from "@/app/(staff)/read-record";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { pageTitles } from "@/components/policies/messages/page-titles";
import { PolicyEditor } from "@/components/policies/policy-editor";
import { PolicyDeleted, VersioningOff } from "@/components/policies/policy-unavailable";
import { toPolicyViewDto } from "@/lib/insurance/policies/dto";
import { viewPolicy } from "@/lib/insurance/policies/staff-queries";

export const metadata: Metadata = { title: pageTitles.edit };

type Props = { params: Promise<{ practice: string; patient: string; policy: string }> };

export default async function EditPolicy({ params }: Props) {
  const { access, practice } = await requireStaff(params, "staff");
  const { patient, policy } = readIds(await params, "patient", "policy");
  const view = await readOrGone(viewPolicy(access, patient, policy));
  await auditPage(access, "staff.policies.get", [patient]);
  if (!view) return <PolicyDeleted practice={practice} patient={patient} />;
  if (!view.versioning) return <VersioningOff practice={practice} patient={view.patient} />;
  // Archived policies are read-only. The policy's page offers to restore it.
  if (view.policy.status === "archived") redirect(`/practices/${practice}/patients/${patient}/policies/${policy}`);
  const { policy: shown, ...initial } = toPolicyViewDto(view);
  return <PolicyEditor practice={practice} initial={initial} policy={shown} />;
}
