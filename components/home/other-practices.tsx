import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";
import { formatNumber } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import type { PracticeHome } from "@/lib/api/home/queries";
import { countProblems } from "./attention";
import { formatDistance, formatPercent } from "./format";
import { otherPractices as text } from "./messages/practice";

interface Column {
  header: string;
  className?: string;
  cell: (practice: PracticeHome) => ReactNode;
}

const WIDE = "text-right max-lg:hidden";

const COLUMNS: readonly Column[] = [
  { header: text.state, cell: renderState },
  {
    header: text.versioning,
    className: "max-md:hidden",
    cell: ({ versioning }) => (versioning ? text.on : text.off),
  },
  { header: text.deadline, className: "max-sm:hidden", cell: ({ deadline }) => formatDistance(deadline.days) },
  {
    header: text.inSync,
    className: "text-right max-md:hidden",
    cell: ({ patients, stream }) => formatPercent(patients - Math.min(patients, stream.unsettled), patients),
  },
  { header: text.failed, className: WIDE, cell: ({ stream }) => formatNumber(stream.failed) },
  { header: text.undelivered, className: WIDE, cell: ({ undelivered_events }) => formatNumber(undelivered_events) },
  { header: text.legacyWrites, className: WIDE, cell: ({ legacy }) => formatNumber(legacy.writes) },
];

/** Shows the user's other practices, linked to their home pages. */
export function OtherPractices({ practices }: { practices: readonly PracticeHome[] }) {
  return (
    <section aria-labelledby="others" className="mt-6">
      <h2 id="others" className="mb-2 font-semibold">
        {text.title}
      </h2>
      <div className="border-line bg-raised overflow-x-auto rounded-md border">
        <table aria-labelledby="others" className="w-full">
          <thead>
            <tr className="border-line border-b">
              {[{ header: text.practice }, ...COLUMNS].map(({ header, className }: Omit<Column, "cell">) => (
                <th
                  key={header}
                  scope="col"
                  className={classNames(
                    "text-soft h-9 px-3 text-sm font-medium whitespace-nowrap",
                    className?.includes("text-right") ? null : "text-left",
                    className,
                  )}
                >
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {practices.map((practice) => (
              <tr key={practice.id} className="border-line hover:bg-sunken h-9 border-b last:border-0">
                <th scope="row" className="px-3 text-left font-medium">
                  <TextLink href={`/practices/${practice.id}`}>{practice.name}</TextLink>
                </th>
                {COLUMNS.map(({ header, className, cell }) => (
                  <td key={header} className={classNames("px-3 whitespace-nowrap", className)}>
                    {cell(practice)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function renderState(practice: PracticeHome): ReactNode {
  const problems = countProblems(practice);
  if (problems === 0) return <Status kind="good">{text.ok}</Status>;
  return <Status kind="warning">{text.problems(problems)}</Status>;
}
