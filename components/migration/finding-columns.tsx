import Link from "next/link";
import type { Column } from "@/components/ui/data-table";
import { Day } from "@/components/ui/time";
import type { FindingView } from "@/lib/migration/check/review-queries";
import { describeCode } from "@/lib/migration/findings/checks";
import { DecisionStatus } from "./decision-status";
import { recordPath } from "./paths";
import { proposedText, valueText } from "./run-messages";

/** Returns the columns of the finding list. */
export function findingColumns(options: {
  practice: number;
  run: number;
  colleagues: readonly { id: number; name: string }[];
}): Column<FindingView>[] {
  const { practice, run, colleagues } = options;
  return [
    {
      id: "record",
      header: "Record",
      cell: (row) => (
        <Link
          href={recordPath(practice, run, row.number)}
          prefetch={false}
          className="block max-w-48 min-w-6 truncate leading-6 hover:underline max-sm:max-w-32"
        >
          {row.name ?? `Line ${row.line}`}
        </Link>
      ),
    },
    {
      id: "finding",
      header: "Finding",
      cell: (row) => (
        <span
          className="block max-w-80 truncate max-xl:max-w-56 max-sm:max-w-40 max-sm:whitespace-normal"
          title={row.message}
        >
          {describeCode(row.code).title}
        </span>
      ),
    },
    {
      id: "found",
      header: "Found",
      className: "max-lg:hidden",
      cell: (row) => (
        <span className="block max-w-40 truncate font-mono text-sm" title={valueText(row.found)}>
          {row.found === null ? "" : valueText(row.found)}
        </span>
      ),
    },
    {
      id: "proposed",
      header: "Proposed",
      className: "max-md:hidden",
      cell: (row) =>
        row.fix && (
          <span className="text-good block max-w-44 truncate font-mono text-sm" title={row.fix.why}>
            {Object.values(row.fix.values).map(proposedText).join(", ")}
          </span>
        ),
    },
    {
      id: "decision",
      header: "Decision",
      className: "max-sm:hidden",
      cell: (row) => <DecisionStatus finding={row} />,
    },
    {
      id: "owner",
      header: "Owner",
      className: "max-[1440px]:hidden",
      cell: (row) => colleagues.find(({ id }) => id === row.owner_id)?.name,
    },
    {
      id: "due",
      header: "Due",
      className: "max-[1440px]:hidden",
      cell: (row) => row.due_date && <Day value={row.due_date} />,
    },
  ];
}
