"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { DownloadButton } from "@/components/ui/download-button";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { ListError, PageOutOfRange } from "@/components/ui/list-errors";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SelectionBar } from "@/components/ui/selection-bar";
import { useSelection } from "@/components/ui/use-selection";
import type { FindingView } from "@/lib/migration/review-queries";
import type { RunPage } from "@/lib/migration/run-page-queries";
import type { DecisionKind } from "./decision-dialog";
import { findingColumns } from "./finding-columns";
import { FindingFilters, useFindingFilter } from "./finding-filters";
import { recordPath, runCall, runTrail } from "./paths";
import { Stepper } from "./stepper";
import { useRun } from "./use-run";
import { toQuery, useRunPage } from "./use-run-page";

const LIMIT = 50;
const DecisionDialog = lazyWithRetry(async () => (await import("./decision-dialog")).DecisionDialog);

interface FindingsPageProps {
  practice: number;
  canAct: boolean;
  run: RunPage;
  colleagues: { id: number; name: string }[];
  initial: { query: Record<string, unknown>; page: { count: number; results: FindingView[] } };
}

/** What was found in a run, to be decided on: one by one, those that are ticked, or all that fit the filter. */
export function FindingsPage({ practice, canAct, run: initialRun, colleagues, initial }: FindingsPageProps) {
  const router = useRouter();
  const { data, refetch: refetchRun } = useRun(practice, initialRun);
  const { run, groups } = data;
  const { state, setState, clear, filter, fields, offset } = useFindingFilter();
  const path = `${runCall(practice, run.id)}/findings`;
  const list = useRunPage<FindingView>({
    path,
    query: { ...filter, offset: String(offset), limit: String(LIMIT) },
    initial: { query: new URLSearchParams(toQuery(initial.query)).toString(), page: initial.page },
  });
  const rows = list.data?.results;
  const { selection, setSelection, chosen } = useSelection(JSON.stringify(filter), rows);
  const [asking, setAsking] = useState<{ kind: DecisionKind; all: boolean } | null>(null);
  const count = list.data?.count ?? 0;
  const done = async () => {
    setAsking(null);
    setSelection({});
    await Promise.all([list.refetch(), refetchRun()]);
  };
  // Of all that match, those are meant that can still be decided so.
  const meant = { ...fields, decision: "open" as const, ...(asking?.kind === "accept" ? { fix: true } : {}) };
  const counted = useQuery({
    queryKey: [path, "meant", meant],
    queryFn: ({ signal }) =>
      staffCall<{ count: number }>(`${path}?${new URLSearchParams({ ...toQuery(meant), limit: "1" })}`, { signal }),
    enabled: asking?.all === true,
    staleTime: 0,
    gcTime: 0,
  });
  const decide = (kind: DecisionKind, all: boolean) => setAsking({ kind, all });
  const exported = `${path}/export?${new URLSearchParams(filter)}`;
  return (
    <>
      <PageHeader
        trail={runTrail(practice, run)}
        title="Findings"
        meta="What was found in the export, to be mended, left out or looked at."
        actions={
          <>
            <DownloadButton path={`${exported}&format=csv`}>CSV</DownloadButton>
            <DownloadButton path={`${exported}&format=ndjson`}>NDJSON</DownloadButton>
            {canAct && count > 0 && (
              <>
                <Button onClick={() => decide("skip", true)}>Leave out all that match</Button>
                <Button kind="primary" onClick={() => decide("accept", true)}>
                  Accept all fixes that match
                </Button>
              </>
            )}
          </>
        }
      />
      <Stepper practice={practice} run={run} here="review" />
      <FindingFilters
        state={state}
        setState={setState}
        clear={clear}
        filter={filter}
        groups={groups}
        colleagues={colleagues}
      />
      <DataTable
        label="Findings"
        columns={findingColumns({ practice, run: run.id, canAct, colleagues })}
        rows={rows}
        stale={list.isPlaceholderData}
        onOpen={(finding) => router.push(recordPath(practice, run.id, finding.number))}
        {...(canAct ? { selection, onSelection: setSelection } : {})}
        failure={list.error && <ListError error={list.error} onRetry={() => void list.refetch()} onReset={clear} />}
        empty={
          count > 0 ? (
            <PageOutOfRange count={count} noun="findings" onFirst={() => void setState({ offset: null })} />
          ) : Object.keys(filter).length > 0 ? (
            <EmptyState title="No finding fits these filters">Lift a filter to see more.</EmptyState>
          ) : (
            <EmptyState title="Nothing was found">Every record of the export can be converted as it is.</EmptyState>
          )
        }
      />
      <Pager
        noun="findings"
        offset={offset}
        limit={LIMIT}
        count={list.data?.count}
        onOffset={(next) => void setState({ offset: next || null }, { history: "push" })}
      />
      <SelectionBar count={chosen.length} noun="finding" onClear={() => setSelection({})}>
        <Button onClick={() => decide("assign", false)}>Assign</Button>
        <Button onClick={() => decide("reopen", false)}>Take back</Button>
        <Button onClick={() => decide("skip", false)}>Leave out</Button>
        <Button kind="primary" onClick={() => decide("accept", false)}>
          Accept fixes
        </Button>
      </SelectionBar>
      {counted.error && (
        <Notice tone="bad" live title="The findings could not be counted">
          {counted.error.message}
        </Notice>
      )}
      {asking && (!asking.all || counted.data) && (
        <DecisionDialog
          path={`${runCall(practice, run.id)}/decisions`}
          kind={asking.kind}
          findings={asking.all ? { filter: meant } : { ids: chosen }}
          count={asking.all ? (counted.data?.count ?? 0) : chosen.length}
          colleagues={colleagues}
          onClose={() => setAsking(null)}
          onDone={done}
        />
      )}
    </>
  );
}
