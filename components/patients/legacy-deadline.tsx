import { ButtonLink } from "@/components/ui/button-link";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { Day } from "@/components/ui/time";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { legacyDeadline as text } from "./messages/legacy-saving";

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
        title={text.title}
        action={isAdmin && <ButtonLink href={`/practices/${practice}/settings`}>{text.settings}</ButtonLink>}
      >
        <Deadline data={data} /> {isAdmin ? text.adminHelp : text.staffHelp}
      </EmptyState>
    </div>
  );
}

/** Tells staff with unsaved changes that the deadline has passed. */
export function DeadlineNotice({ data }: { data: PatientPage }) {
  return (
    <Notice tone="warning" live title={text.title}>
      <Deadline data={data} /> {text.kept}
    </Notice>
  );
}

function Deadline({ data: { deprecation } }: { data: PatientPage }) {
  const date = <Day value={deprecation.date} />;
  return deprecation.rehearsing ? text.rehearsed(date) : text.passed(date);
}
