import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import type { PatientIdentity } from "./form-values";
import { breadcrumbs } from "./messages/fields";
import { policyDeleted, versioningOff } from "./messages/unavailable";
import { pagePath, patientTrail } from "./paths";

/** Replaces the policy pages in a practice without Insurance Versioning. */
export function VersioningOff({ practice, patient }: { practice: number; patient: PatientIdentity }) {
  return (
    <>
      <PageHeader trail={patientTrail(practice, patient)} title={versioningOff.heading} />
      <EmptyState
        title={versioningOff.title}
        action={<ButtonLink href={pagePath(practice, patient.id)}>{versioningOff.action}</ButtonLink>}
      >
        {versioningOff.text}
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
          { label: breadcrumbs.patients, href: `/practices/${practice}/patients` },
          { label: breadcrumbs.patient, href: pagePath(practice, patient) },
        ]}
        title={policyDeleted.heading}
      />
      <EmptyState
        title={policyDeleted.title}
        action={<ButtonLink href={pagePath(practice, patient)}>{policyDeleted.action}</ButtonLink>}
      >
        {policyDeleted.text}
      </EmptyState>
    </>
  );
}
