import type { Metadata } from "next";
import { readIds, readOrNotFound } from "@/app/(staff)/read-record";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { pageTitles } from "@/components/policies/messages/page-titles";
import { PolicyEditor } from "@/components/policies/policy-editor";
import { VersioningOff } from "@/components/policies/policy-unavailable";
import { toPoliciesViewDto } from "@/lib/insurance/policies/dto";
import { newPolicyQuery } from "@/lib/insurance/policies/schema";
import { viewActivePolicies } from "@/lib/insurance/policies/staff-queries";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";
import { imageLimits } from "@/lib/platform/storage/process-image";

type Props = { params: Promise<{ practice: string; patient: string }>; searchParams: Promise<PageParams> };

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { replaces } = pageQueryOrDefaults(newPolicyQuery, await searchParams);
  return { title: replaces === undefined ? pageTitles.add : pageTitles.replace };
}

export default async function NewPolicy({ params }: Props) {
  const { access, practice } = await requireStaff(params, "staff");
  const { patient } = readIds(await params, "patient");
  const view = await readOrNotFound(viewActivePolicies(access, patient));
  await auditPage(access, "staff.policies.list", [patient]);
  if (!view.versioning) return <VersioningOff practice={practice} patient={view.patient} />;
  return <PolicyEditor practice={practice} initial={toPoliciesViewDto(view)} imageLimits={imageLimits()} />;
}
