import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import type { PatientIdentity } from "./form-values";
import { pagePath, patientTrail } from "./paths";

/** Replaces the policy pages in a practice without Insurance Versioning. */
export function VersioningOff({ practice, patient }: { practice: number; patient: PatientIdentity }) {
  return (
    <>
      <PageHeader trail={patientTrail(practice, patient)} title="Policy" />
      <EmptyState
        title="This practice uses legacy insurance records"
        action={<ButtonLink href={pagePath(practice, patient.id)}>Open the patient's insurance</ButtonLink>}
      >
        Insurance Versioning is off, so policy pages are not available. The history of policies is kept and is shown
        again when an admin turns Insurance Versioning on.
      </EmptyState>
    </>
  );
}

/** Replaces the pages of a policy that was deleted permanently. */
export function PolicyDeleted({ practice, patient }: { practice: number; patient: number }) {
  return (
    <>
      <PageHeader
        trail={[
          { label: "Patients", href: `/practices/${practice}/patients` },
          { label: "Patient", href: pagePath(practice, patient) },
        ]}
        title="Policy"
      />
      <EmptyState
        title="This policy was deleted permanently"
        action={<ButtonLink href={pagePath(practice, patient)}>Open the patient</ButtonLink>}
      >
        Its history and card images were deleted with it. The audit log shows who deleted it, when and why.
      </EmptyState>
    </>
  );
}
