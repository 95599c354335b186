import { mainPageNames } from "@/components/shell/messages/shell";
import { PageHeader } from "@/components/ui/page-header";
import type { RecentPatient } from "@/lib/insurance/patients/recent-queries";
import type { AssignedFindings } from "@/lib/migration/runs/assigned-queries";
import { AssignedFindingsCard } from "./assigned-findings-card";
import { CoverageReviewCard } from "./coverage-review-card";
import { PatientLookup } from "./patient-lookup";
import { RecentPatientsCard } from "./recent-patients-card";

interface FrontDeskProps {
  practice: number;
  recent: readonly RecentPatient[];
  assigned: readonly AssignedFindings[];
}

/** Shows what the front desk needs first: the search, the patients opened last, the user's own findings, and coverage to review. */
export function FrontDesk({ practice, recent, assigned }: FrontDeskProps) {
  return (
    <>
      <PageHeader title={mainPageNames.home} />
      <PatientLookup practice={practice} />
      <div className="mb-4 grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        <RecentPatientsCard practice={practice} patients={recent} />
        <CoverageReviewCard practice={practice} />
        <AssignedFindingsCard practice={practice} runs={assigned} />
      </div>
    </>
  );
}
