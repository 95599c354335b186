"use client";

import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { parseAsStringLiteral, useQueryStates } from "nuqs";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterSelect } from "@/components/ui/filter-select";
import { pluralize } from "@/components/ui/format";
import { ListError, PageOutOfRange } from "@/components/ui/list-errors";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Status } from "@/components/ui/status";
import { parseAsOffset } from "@/components/ui/url-state";
import type { RecordView, RunView } from "@/lib/migration/review-queries";
import type { RecordState, Verdict } from "@/lib/migration/schema/run";
import { recordPath, runCall, runTrail } from "./paths";
import { RECORD_STATES, VERDICT_ORDER, VERDICTS } from "./run-messages";
import { Stepper } from "./stepper";
import { toQuery, useRunPage } from "./use-run-page";

const LIMIT = 50;
const STATES = Object.keys(RECORD_STATES) as RecordState[];
const STATE_WORDS = Object.fromEntries(STATES.map((state) => [state, RECORD_STATES[state].text]));
const STATE = {
  verdict: parseAsStringLiteral(VERDICT_ORDER as readonly Verdict[]),
  state: parseAsStringLiteral(STATES),
  offset: parseAsOffset,
};

interface RecordsPageProps {
  practice: number;
  run: RunView;
  initial: { query: Record<string, unknown>; page: { count: number; results: RecordView[] } };
}

/** The patients of a run, by what becomes of them and where they stand. */
export function RecordsPage({ practice, run, initial }: RecordsPageProps) {
  const router = useRouter();
  const [{ verdict, state, offset }, setState] = useQueryStates(STATE);
  const list = useRunPage<RecordView>({
    path: `${runCall(practice, run.id)}/records`,
    query: toQuery({ verdict, state, offset, limit: LIMIT }),
    initial: { query: new URLSearchParams(toQuery(initial.query)).toString(), page: initial.page },
  });
  const clear = () => void setState({ verdict: null, state: null, offset: null });
  const count = list.data?.count ?? 0;
  return (
    <>
      <PageHeader trail={runTrail(practice, run)} title="Records" meta="Patients of the export, in its order." />
      <Stepper practice={practice} run={run} here="review" />
      <search aria-label="Filter the records" className="screen-only mb-3 flex flex-wrap gap-2">
        <FilterSelect
          label="Verdict"
          value={verdict}
          options={VERDICT_ORDER}
          onChange={(next) => void setState({ verdict: next, offset: null })}
        />
        <FilterSelect
          label="State"
          value={state}
          options={STATES}
          labels={STATE_WORDS}
          onChange={(next) => void setState({ state: next, offset: null })}
        />
      </search>
      <DataTable
        label="Records"
        columns={columnsOf(practice, run.id)}
        rows={list.data?.results}
        stale={list.isPlaceholderData}
        onOpen={(record) => router.push(recordPath(practice, run.id, record.id))}
        failure={list.error && <ListError error={list.error} onRetry={() => void list.refetch()} onReset={clear} />}
        empty={
          count > 0 ? (
            <PageOutOfRange count={count} noun="records" onFirst={() => void setState({ offset: null })} />
          ) : (
            <EmptyState title="No record fits">Lift a filter to see more.</EmptyState>
          )
        }
      />
      <Pager
        noun="records"
        offset={offset}
        limit={LIMIT}
        count={list.data?.count}
        onOffset={(next) => void setState({ offset: next || null }, { history: "push" })}
      />
    </>
  );
}

function columnsOf(practice: number, run: number): ColumnDef<RecordView>[] {
  return [
    {
      header: "Patient",
      cell: ({ row: { original } }) => (
        <Link
          href={recordPath(practice, run, original.id)}
          prefetch={false}
          className="block max-w-64 min-w-6 truncate leading-6 hover:underline max-sm:max-w-40"
        >
          {original.name ?? `Line ${original.line}`}
        </Link>
      ),
    },
    {
      header: "ID there",
      meta: { className: "max-md:hidden font-mono text-sm" },
      cell: ({ row: { original } }) => original.external_id,
    },
    {
      header: "Verdict",
      cell: ({ row: { original } }) => (original.verdict ? VERDICTS[original.verdict].text : "—"),
    },
    {
      header: "Insurances",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <span className="text-soft">{insurancesOf(original)}</span>,
    },
    {
      header: "State",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => {
        const { kind, text } = RECORD_STATES[original.state];
        return <Status kind={kind}>{text}</Status>;
      },
    },
    {
      header: "Here",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) =>
        original.patient_id !== null &&
        original.state !== "rolled_back" && (
          <Link
            href={`/practices/${practice}/patients/${original.patient_id}`}
            prefetch={false}
            className="inline-flex min-h-6 items-center whitespace-nowrap hover:underline"
          >
            Patient {original.patient_id}
          </Link>
        ),
    },
  ];
}

function insurancesOf({ creates, updates, unchanged, archives, refused }: RecordView): string {
  const parts: [number, string][] = [
    [creates, "to create"],
    [updates, "to update"],
    [unchanged, "unchanged"],
    [archives, "to archive"],
  ];
  const named = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return (
    [...named, ...(refused > 0 ? [pluralize(refused, "insurance refused", "insurances refused")] : [])].join(", ") ||
    "None"
  );
}
