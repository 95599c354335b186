import { TermHint } from "@/components/help/term-hint";
import type { Readiness } from "@/lib/migration/readiness/queries";
import { readinessBar as words } from "./messages/readiness";
import { PARTS } from "./messages/terms";
import { runPath } from "./paths";
import { StackedBar } from "./stacked-bar";

/** Shows the share of the current run's records that are ready, and the parts it is computed from. */
export function ReadinessBar({ readiness }: { readiness: Readiness }) {
  const { parts, percent, records, run, practice } = readiness;
  const hrefs: Partial<Record<keyof typeof parts, string>> = run
    ? {
        verified: `${runPath(practice, run.id)}/records?state=verified`,
        person: `${runPath(practice, run.id)}/findings?severity=error&decision=open`,
        refused: `${runPath(practice, run.id)}/findings?decision=skipped`,
      }
    : {};
  return (
    <div className="grid items-center gap-x-6 gap-y-3 sm:grid-cols-[auto_minmax(0,1fr)]">
      <p>
        <span className="text-lg font-semibold tabular-nums">{percent}%</span>
        <span className="text-soft block text-sm">
          {words.percent}
          <TermHint name="readiness" />
        </span>
      </p>
      <StackedBar
        label={run ? words.run(run.id, run.source_name) : words.noRun}
        total={words.total(records)}
        parts={PARTS.map(({ part, text, bar }) => ({ name: text, count: parts[part], bar, href: hrefs[part] }))}
      />
    </div>
  );
}
