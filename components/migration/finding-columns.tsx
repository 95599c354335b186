import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { selectionColumn } from "@/components/ui/selection-column";
import { Day } from "@/components/ui/time";
import type { FindingView } from "@/lib/migration/check/review-queries";
import { describeCode } from "@/lib/migration/findings/checks";
import { DecisionStatus } from "./decision-status";
import { recordPath } from "./paths";
import { proposedText, valueText } from "./run-messages";

/** Returns the columns of the finding list. Users who can decide on findings get a selection column. */
export function findingColumns(options: {
  practice: number;
  run: number;
  canAct: boolean;
  colleagues: readonly { id: number; name: string }[];
}): ColumnDef<FindingView>[] {
  const { practice, run, canAct, colleagues } = options;
  return [
    ...(canAct ? [selectionColumn<FindingView>(({ id }) => `finding ${id}`)] : []),
    {
      header: "Record",
      cell: ({ row: { original } }) => (
        <Link
          href={recordPath(practice, run, original.number)}
          prefetch={false}
          className="block max-w-48 min-w-6 truncate leading-6 hover:underline max-sm:max-w-32"
        >
          {original.name ?? `Line ${original.line}`}
        </Link>
      ),
    },
    {
      header: "Finding",
      cell: ({ row: { original } }) => (
        <span
          className="block max-w-80 truncate max-xl:max-w-56 max-sm:max-w-40 max-sm:whitespace-normal"
          title={original.message}
        >
          {describeCode(original.code).title}
        </span>
      ),
    },
    {
      header: "Found",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => (
        <span className="block max-w-40 truncate font-mono text-sm" title={valueText(original.found)}>
          {original.found === null ? "" : valueText(original.found)}
        </span>
      ),
    },
    {
      header: "Proposed",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) =>
        original.fix && (
          <span className="text-good block max-w-44 truncate font-mono text-sm" title={original.fix.why}>
            {Object.values(original.fix.values).map(proposedText).join(", ")}
          </span>
        ),
    },
    {
      header: "Decision",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => <DecisionStatus finding={original} />,
    },
    {
      header: "Owner",
      meta: { className: "max-[1440px]:hidden" },
      cell: ({ row: { original } }) => colleagues.find(({ id }) => id === original.owner_id)?.name,
    },
    {
      header: "Due",
      meta: { className: "max-[1440px]:hidden" },
      cell: ({ row: { original } }) => original.due_date && <Day value={original.due_date} />,
    },
  ];
}
