import Link from "next/link";
import { actionColumn } from "@/components/ui/action-column";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import type { Column } from "@/components/ui/data-table";
import { Day } from "@/components/ui/time";
import type { ListedFinding } from "@/lib/migration/check/review-queries";
import { describeCode } from "@/lib/migration/findings/checks";
import { isDecidable } from "@/lib/migration/runs/run-states";
import { DecisionStatus } from "./decision-status";
import { findingColumn as text } from "./messages/review";
import { lineName, proposedText, valueText } from "./messages/terms";
import { recordPath } from "./paths";

/** Returns the columns of the finding list. */
export function findingColumns(options: {
  practice: number;
  run: number;
  colleagues: readonly { id: number; name: string }[];
  /** Missing if the user can't decide on findings. */
  actions?: FindingActions | undefined;
}): Column<ListedFinding>[] {
  const { practice, run, colleagues, actions } = options;
  return [
    {
      id: "record",
      header: text.record,
      cell: (row) => (
        <>
          <Link
            href={recordPath(practice, run, row.number)}
            prefetch={false}
            className="block min-w-6 leading-6 hover:underline sm:max-w-48 sm:truncate"
          >
            {row.name ?? lineName(row.line)}
          </Link>
          <PhoneDetails row={row} />
        </>
      ),
    },
    {
      id: "finding",
      header: text.finding,
      className: "max-sm:hidden",
      cell: (row) => (
        <span className="block max-w-80 max-xl:max-w-56" title={row.message}>
          {describeCode(row.code).title}
        </span>
      ),
    },
    {
      id: "found",
      header: text.found,
      className: "max-lg:hidden",
      cell: (row) => (
        <span className="block max-w-40 truncate font-mono text-sm" title={valueText(row.found)}>
          {row.found === null ? "" : valueText(row.found)}
        </span>
      ),
    },
    {
      id: "proposed",
      header: text.proposed,
      className: "max-md:hidden",
      cell: ({ fix }) => fix && <ProposedFix fix={fix} className="block max-w-44 truncate" />,
    },
    {
      id: "decision",
      header: text.decision,
      className: "max-sm:hidden",
      cell: (row) => <DecisionStatus finding={row} />,
    },
    {
      id: "owner",
      header: text.owner,
      className: "max-[1440px]:hidden",
      cell: (row) => colleagues.find(({ id }) => id === row.owner_id)?.name,
    },
    {
      id: "due",
      header: text.due,
      className: "max-[1440px]:hidden",
      cell: (row) => row.due_date && <Day value={row.due_date} />,
    },
    ...(actions ? [actionColumn<ListedFinding>((row) => <FindingAction row={row} {...actions} />)] : []),
  ];
}

/** Shows on a phone what other columns show on wider screens. */
function PhoneDetails({ row }: { row: ListedFinding }) {
  return (
    <div className="flex flex-col gap-0.5 pb-1 sm:hidden">
      <span>{describeCode(row.code).title}</span>
      {row.found !== null && <span className="text-soft font-mono text-sm break-all">{valueText(row.found)}</span>}
      {row.fix && (
        <span>
          <span className="sr-only">{text.proposed}</span>
          <ProposedFix fix={row.fix} className="break-all" />
        </span>
      )}
      <DecisionStatus finding={row} />
    </div>
  );
}

function ProposedFix({ fix, className }: { fix: NonNullable<ListedFinding["fix"]>; className: string }) {
  return (
    <span className={classNames("text-good font-mono text-sm", className)} title={fix.why}>
      {Object.values(fix.values).map(proposedText).join(", ")}
    </span>
  );
}

interface FindingActions {
  onAccept: (finding: ListedFinding) => void;
  onCorrect: (finding: ListedFinding) => void;
}

/** Offers what most likely solves a finding: its proposed fix, or a correction. The record's page offers both. */
function FindingAction({ row, onAccept, onCorrect }: FindingActions & { row: ListedFinding }) {
  if (row.decision !== "open" || !isDecidable(row.record_state)) return null;
  const finding = describeCode(row.code).title;
  const record = row.name ?? lineName(row.line);
  if (row.fix)
    return (
      <Button
        size="small"
        className="whitespace-nowrap"
        aria-label={text.acceptLabel(finding, record)}
        onClick={() => onAccept(row)}
      >
        {text.accept}
      </Button>
    );
  if (!row.correctable) return null;
  return (
    <Button size="small" aria-label={text.correctLabel(finding, record)} onClick={() => onCorrect(row)}>
      {text.correct}
    </Button>
  );
}
