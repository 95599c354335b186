import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { Day } from "@/components/ui/time";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";

interface DeadlinePassedProps {
  practice: number;
  isAdmin: boolean;
  data: PatientPage;
}

/** Replaces the form after the practice's deadline for legacy insurance. */
export function DeadlinePassed({ practice, isAdmin, data }: DeadlinePassedProps) {
  return (
    <div className="border-line bg-raised rounded-md border">
      <EmptyState
        title="Insurance can no longer be edited here"
        action={isAdmin && <ButtonLink href={`/practices/${practice}/settings`}>Open settings</ButtonLink>}
      >
        <Deadline data={data} /> The insurance is kept as policies, which are shown here once{" "}
        {isAdmin ? "you enable" : "an admin enables"} Insurance Versioning in the practice's settings.
      </EmptyState>
    </div>
  );
}

/** Tells staff with unsaved changes that the deadline has passed. */
export function DeadlineNotice({ data }: { data: PatientPage }) {
  return (
    <Notice tone="warning" live title="Insurance can no longer be edited here">
      <Deadline data={data} /> What you typed is kept on this page, but can't be saved.
    </Notice>
  );
}

function Deadline({ data: { deprecation } }: { data: PatientPage }) {
  return (
    <>
      The practice's deadline of <Day value={deprecation.date} /> has passed
      {deprecation.rehearsing && " (by the practice's rehearsal time)"}: legacy insurance can no longer be shown or
      saved.
    </>
  );
}
