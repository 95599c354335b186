import type { Metadata } from "next";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { LegacyInterface } from "@/components/policies/policy-absent";
import { PolicyEditor } from "@/components/policies/policy-editor";
import { toPoliciesViewDto } from "@/lib/policies/dto";
import { viewActivePolicies } from "@/lib/policies/staff-queries";
import { idsOf, readOrNotFound } from "../read-policy";

export const metadata: Metadata = { title: "Add policy" };

type Props = { params: Promise<{ practice: string; patient: string }> };

export default async function NewPolicy({ params }: Props) {
  const access = await requireStaff(params, "staff");
  const practice = access.practices[0] as number;
  const { patient } = idsOf(await params, "patient");
  const view = await readOrNotFound(viewActivePolicies(access, patient));
  await auditPage(access, "staff.policies.list", [patient]);
  if (!view?.versioning) return view && <LegacyInterface practice={practice} patient={view.patient} />;
  return <PolicyEditor practice={practice} initial={toPoliciesViewDto(view)} />;
}
