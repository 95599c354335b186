"use client";

import { useRouter } from "next/navigation";
import { parseAsStringLiteral } from "nuqs";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterSelect } from "@/components/ui/filter-select";
import { ListError, PageOutOfRange } from "@/components/ui/list-errors";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { useListFilter } from "@/components/ui/use-list-filter";
import type { RecordView, RunView } from "@/lib/migration/check/review-queries";
import type { RecordState } from "@/lib/migration/runs/schema";
import { recordsPage as text } from "./messages/review";
import { RECORD_STATES, VERDICT_ORDER, VERDICTS } from "./messages/terms";
import { recordPath, runCall, runTrail } from "./paths";
import { recordColumns } from "./record-columns";
import { Stepper } from "./stepper";
import { toQuery, useRunPage } from "./use-run-page";

const PAGE_SIZE = 50;
const STATES = Object.keys(RECORD_STATES) as RecordState[];
const STATE_LABELS = Object.fromEntries(STATES.map((state) => [state, RECORD_STATES[state].text]));
const VERDICT_LABELS = Object.fromEntries(VERDICT_ORDER.map((verdict) => [verdict, VERDICTS[verdict].text]));
const PARSERS = {
  verdict: parseAsStringLiteral(VERDICT_ORDER),
  state: parseAsStringLiteral(STATES),
};

interface RecordsPageProps {
  practice: number;
  run: RunView;
  initial: { query: Record<string, unknown>; page: { count: number; results: RecordView[] } };
}

/** Shows the records of a run, filtered by verdict and state. */
export function RecordsPage({ practice, run, initial }: RecordsPageProps) {
  const router = useRouter();
  const { fields, filter, change, clear, offset, goTo, goToFirst } = useListFilter(PARSERS);
  const list = useRunPage<RecordView>({
    path: `${runCall(practice, run.id)}/records`,
    query: { ...filter, offset: String(offset), limit: String(PAGE_SIZE) },
    initial: { query: new URLSearchParams(toQuery(initial.query)).toString(), page: initial.page },
  });
  const count = list.data?.count ?? 0;
  return (
    <>
      <PageHeader trail={runTrail(practice, run)} title={text.title} meta={text.lead} />
      <Stepper practice={practice} run={run} here="review" />
      <search aria-label={text.filters} className="screen-only mb-3 flex flex-wrap gap-2">
        <FilterSelect
          label={text.verdict}
          value={fields.verdict}
          options={VERDICT_ORDER}
          labels={VERDICT_LABELS}
          onChange={(verdict) => change({ verdict })}
        />
        <FilterSelect
          label={text.state}
          value={fields.state}
          options={STATES}
          labels={STATE_LABELS}
          onChange={(state) => change({ state })}
        />
      </search>
      <DataTable
        label={text.table}
        columns={recordColumns(practice, run.id)}
        rows={list.data?.results}
        stale={list.isPlaceholderData}
        onOpen={(record) => router.push(recordPath(practice, run.id, record.id))}
        failure={list.error && <ListError error={list.error} onRetry={() => void list.refetch()} onReset={clear} />}
        empty={
          count > 0 ? (
            <PageOutOfRange count={count} noun={text.noun} onFirst={() => void goToFirst()} />
          ) : (
            <EmptyState title={text.noMatch}>{text.noMatchHelp}</EmptyState>
          )
        }
      />
      <Pager noun={text.noun} offset={offset} limit={PAGE_SIZE} count={list.data?.count} onOffset={goTo} />
    </>
  );
}
