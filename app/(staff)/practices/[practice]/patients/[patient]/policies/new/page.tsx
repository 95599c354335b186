import type { Metadata } from "next";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { pageTitles } from "@/components/policies/messages/page-titles";
import { PolicyEditor } from "@/components/policies/policy-editor";
import { VersioningOff } from "@/components/policies/policy-unavailable";
import { toPoliciesViewDto } from "@/lib/insurance/policies/dto";
import { viewActivePolicies } from "@/lib/insurance/policies/staff-queries";
import { imageLimits } from "@/lib/platform/storage/process-image";

export const metadata: Metadata = { title: pageTitles.add };

type Props = { params: Promise<{ practice: string; patient: string }> };

export default async function NewPolicy({ params }: Props) {
  const { access, practice } = await requireStaff(params, "staff");
  const { patient } = readIds(await params, "patient");
  const view = await readOrNotFound(viewActivePolicies(access, patient));
  await auditPage(access, "staff.policies.list", [patient]);
  if (!view.versioning) return <VersioningOff practice={practice} patient={view.patient} />;
  return <PolicyEditor practice={practice} initial={toPoliciesViewDto(view)} imageLimits={imageLimits()} />;
}
