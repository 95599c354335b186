import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import type { PatientIdentity } from "./form-values";
import { pagePath, patientTrail } from "./paths";

/** A practice without Insurance Versioning has no policy pages. */
export function VersioningOff({ practice, patient }: { practice: number; patient: PatientIdentity }) {
  return (
    <>
      <PageHeader trail={patientTrail(practice, patient)} title="Policy" />
      <EmptyState
        title="This practice works with legacy insurances"
        action={<ButtonLink href={pagePath(practice, patient.id)}>Open the patient's insurances</ButtonLink>}
      >
        Insurance Versioning is off here, so policies have no page of their own. Their history is kept, and shows again
        once an admin switches Insurance Versioning on.
      </EmptyState>
    </>
  );
}

/** Of a policy that was deleted permanently there is nothing left to show. */
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
        Its history and card images went with it. Who deleted it, when and why is in the audit.
      </EmptyState>
    </>
  );
}
