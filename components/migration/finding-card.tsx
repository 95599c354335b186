"use client";

import { useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import type { RecordFinding } from "@/lib/migration/check/record-queries";
import { describeCode } from "@/lib/migration/findings/checks";
import { fieldWords } from "@/lib/migration/findings/field-words";
import type { DecisionKind } from "./decision-dialog";
import { DecisionStatus } from "./decision-status";
import { findingCard as text } from "./messages/review";
import { proposedText, valueText } from "./messages/terms";

const CorrectionForm = lazyWithRetry(async () => (await import("./correction-form")).CorrectionForm);

interface FindingCardProps {
  finding: RecordFinding;
  /** The path of the run in the staff API. */
  runPath: string;
  mayDecide: boolean;
  colleagues: readonly { id: number; name: string }[];
  onDecide: (kind: DecisionKind) => void;
  /** Called after the finding was corrected. */
  onCorrected: () => Promise<void>;
}

/** Shows a finding in a record, with its proposed fix or correction and the decisions the user can make. */
export function FindingCard({ finding, runPath, mayDecide, colleagues, onDecide, onCorrected }: FindingCardProps) {
  const { code, message, found, fix, decided_by, reason, owner_id, due_date, note, insurance, list, position } =
    finding;
  const isPast = list === "deleted_insurances";
  const { title, advice } = describeCode(code);
  const [isCorrecting, setCorrecting] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const stop = () => {
    setCorrecting(false);
    // The focused button of the form disappears.
    card.current?.focus();
  };
  const insuranceName = insurance ?? text.position((position ?? 0) + 1);
  const owner = colleagues.find(({ id }) => id === owner_id)?.name;
  return (
    <li
      ref={card}
      tabIndex={-1}
      className="border-line bg-raised flex flex-wrap items-start justify-between gap-x-6 gap-y-2 rounded-md border px-3 py-2"
    >
      <div className="max-w-3xl min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-3">
          <span className="font-medium">{title}</span>
          <DecisionStatus finding={finding} />
        </p>
        <p>
          {list !== null && (
            <span className="text-soft">
              {isPast ? text.pastInsurance(insuranceName) : text.insurance(insuranceName)}{" "}
            </span>
          )}
          {message}
          {found !== null && <code className="ml-1 font-mono break-all">{valueText(found).slice(0, 200)}</code>}
        </p>
        {fix ? (
          <p className="text-good">
            {fix.corrected ? text.corrected : text.proposed}{" "}
            {Object.entries(fix.values).map(([field, value]) => (
              <span key={field} className="mr-2">
                {fieldWords(field)} <code className="font-mono">{proposedText(value)}</code>
              </span>
            ))}
            <span className="text-soft">{fix.corrected ? text.by(decided_by?.name ?? text.staff) : fix.why}</span>
          </p>
        ) : (
          <p className="text-soft">{advice}</p>
        )}
        {(reason || owner || due_date || note) && (
          <p className="text-soft mt-1 text-sm">
            {[reason && text.reason(reason), owner && text.owner(owner), due_date && text.due(due_date), note]
              .filter(Boolean)
              .join(" · ")}
          </p>
        )}
        {mayDecide && isCorrecting && (
          <CorrectionForm
            runPath={runPath}
            finding={finding}
            onClose={stop}
            onDone={async () => {
              stop();
              await onCorrected();
            }}
          />
        )}
      </div>
      {mayDecide && !isCorrecting && (
        <DecisionButtons finding={finding} onDecide={onDecide} onCorrect={() => setCorrecting(true)} />
      )}
    </li>
  );
}

interface DecisionButtonsProps extends Pick<FindingCardProps, "finding" | "onDecide"> {
  onCorrect: () => void;
}

function DecisionButtons({ finding, onDecide, onCorrect }: DecisionButtonsProps) {
  const { decision, severity, fix, list, inputs } = finding;
  const skipsInsurance = list === "deleted_insurances" && severity === "error";
  return (
    <div className="screen-only flex flex-wrap gap-2">
      <Button size="small" kind="quiet" onClick={() => onDecide("assign")}>
        {text.assign}
      </Button>
      {decision === "open" ? (
        <>
          <Button size="small" onClick={() => onDecide("skip")}>
            {skipsInsurance ? text.skipPast : text.skip}
          </Button>
          {inputs.length > 0 && (
            <Button size="small" kind={fix ? "plain" : "primary"} onClick={onCorrect}>
              {text.correct}
            </Button>
          )}
          {fix && (
            <Button size="small" kind="primary" onClick={() => onDecide("accept")}>
              {text.accept}
            </Button>
          )}
        </>
      ) : (
        <Button size="small" onClick={() => onDecide("reopen")}>
          {text.reopen}
        </Button>
      )}
    </div>
  );
}
