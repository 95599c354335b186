import { Button } from "@/components/ui/button";
import type { FindingView } from "@/lib/migration/check/review-queries";
import { describeCode } from "@/lib/migration/findings/checks";
import type { DecisionKind } from "./decision-dialog";
import { DecisionStatus } from "./decision-status";
import { fieldWords, proposedText, valueText } from "./run-messages";

interface FindingCardProps {
  finding: FindingView;
  mayDecide: boolean;
  colleagues: readonly { id: number; name: string }[];
  onDecide: (kind: DecisionKind) => void;
}

/** Shows a finding in a record, with its proposed fix and the decisions the user can make. */
export function FindingCard({ finding, mayDecide, colleagues, onDecide }: FindingCardProps) {
  const { code, message, found, fix, reason, owner_id, due_date, note, insurance, list, position } = finding;
  const isPast = list === "deleted_insurances";
  const { title, advice } = describeCode(code);
  const owner = colleagues.find(({ id }) => id === owner_id)?.name;
  return (
    <li className="border-line bg-raised flex flex-wrap items-start justify-between gap-x-6 gap-y-2 rounded-md border px-3 py-2">
      <div className="min-w-0 max-w-3xl">
        <p className="flex flex-wrap items-center gap-x-3">
          <span className="font-medium">{title}</span>
          <DecisionStatus finding={finding} />
        </p>
        <p>
          {list !== null && (
            <span className="text-soft">
              {isPast ? "Past insurance" : "Insurance"} {insurance ?? `number ${(position ?? 0) + 1}`}:{" "}
            </span>
          )}
          {message}
          {found !== null && <code className="ml-1 font-mono break-all">{valueText(found).slice(0, 200)}</code>}
        </p>
        {fix ? (
          <p className="text-good">
            Proposed:{" "}
            {Object.entries(fix.values).map(([field, value]) => (
              <span key={field} className="mr-2">
                {fieldWords(field)} <code className="font-mono">{proposedText(value)}</code>
              </span>
            ))}
            <span className="text-soft">{fix.why}</span>
          </p>
        ) : (
          <p className="text-soft">{advice}</p>
        )}
        {(reason || owner || due_date || note) && (
          <p className="text-soft mt-1 text-sm">
            {[reason && `Reason: ${reason}`, owner && `Owner: ${owner}`, due_date && `due ${due_date}`, note]
              .filter(Boolean)
              .join(" · ")}
          </p>
        )}
      </div>
      {mayDecide && <DecisionButtons finding={finding} onDecide={onDecide} />}
    </li>
  );
}

function DecisionButtons({ finding, onDecide }: Pick<FindingCardProps, "finding" | "onDecide">) {
  const { decision, severity, fix, list } = finding;
  const skipsInsurance = list === "deleted_insurances" && severity === "error";
  return (
    <div className="screen-only flex flex-wrap gap-2">
      <Button size="small" kind="quiet" onClick={() => onDecide("assign")}>
        Assign
      </Button>
      {decision === "open" ? (
        <>
          <Button size="small" onClick={() => onDecide("skip")}>
            {skipsInsurance ? "Skip past insurance" : "Skip"}
          </Button>
          {fix && (
            <Button size="small" kind="primary" onClick={() => onDecide("accept")}>
              Accept fix
            </Button>
          )}
        </>
      ) : (
        <Button size="small" onClick={() => onDecide("reopen")}>
          Reopen
        </Button>
      )}
    </div>
  );
}
