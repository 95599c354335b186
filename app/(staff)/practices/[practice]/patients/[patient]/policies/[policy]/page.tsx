import type { Metadata } from "next";
import { readIds, readOrGone } from "@/app/(staff)/read-record";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { pageTitles } from "@/components/policies/messages/page-titles";
import { PolicyPage } from "@/components/policies/policy-page";
import { PolicyDeleted } from "@/components/policies/policy-unavailable";
import { viewPolicyPage } from "@/lib/insurance/patient-page/queries";

export const metadata: Metadata = { title: pageTitles.policy };

type Props = { params: Promise<{ practice: string; patient: string; policy: string }> };

export default async function PolicyOfPatient({ params }: Props) {
  const { access, practice } = await requireStaff(params);
  const { patient, policy } = readIds(await params, "patient", "policy");
  const view = await readOrGone(viewPolicyPage(access, patient, policy));
  await auditPage(access, "staff.policies.get", [patient]);
  if (!view) return <PolicyDeleted practice={practice} patient={patient} />;
  return <PolicyPage practice={practice} initial={view} role={access.role} />;
}
