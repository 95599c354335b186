import { migrationPath, runPath } from "@/components/migration/paths";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { Day } from "@/components/ui/time";
import type { AssignedFindings } from "@/lib/migration/runs/assigned-queries";
import { Card } from "./card";
import { dueOn } from "./messages/attention";
import { assignedFindings as text } from "./messages/front-desk";

/** Lists the migration runs with open findings that are assigned to the user. */
export function AssignedFindingsCard({ practice, runs }: { practice: number; runs: readonly AssignedFindings[] }) {
  return (
    <Card id="assigned-findings" title={text.title} link={{ label: text.migration, href: migrationPath(practice) }}>
      {runs.length === 0 ? (
        <p className="text-soft">{text.empty}</p>
      ) : (
        <ul>
          {runs.map(({ run_id, owner_id, source, source_name, findings, overdue, due_date }) => (
            <li key={run_id} className="border-line border-b py-1.5 last:border-0">
              <TextLink
                href={`${runPath(practice, run_id)}/findings?owner=${owner_id}&decision=open&decidable=true`}
                className="font-medium"
              >
                {text.open(findings)}
              </TextLink>
              <p className="text-soft wrap-anywhere">{source === "file" ? source_name : text.ownRecords}</p>
              {overdue > 0 ? (
                <Status kind="warning">{text.overdue(overdue)}</Status>
              ) : (
                due_date && <p className="text-soft">{dueOn(<Day value={due_date} />)}</p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
