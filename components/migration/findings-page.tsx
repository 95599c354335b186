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
import type { ListedFinding } from "@/lib/migration/check/review-queries";
import type { RunPage } from "@/lib/migration/work/page-queries";
import type { DecisionKind } from "./decision-dialog";
import { findingColumns } from "./finding-columns";
import { FindingFilters, useFindingFilter } from "./finding-filters";
import { findingsPage as text } from "./messages/review";
import { recordPath, runCall, runTrail } from "./paths";
import { Stepper } from "./stepper";
import { useRun } from "./use-run";
import { toQuery, useRunPage } from "./use-run-page";

const PAGE_SIZE = 50;
const CorrectionDialog = lazyWithRetry(async () => (await import("./correction-dialog")).CorrectionDialog);
const DecisionDialog = lazyWithRetry(async () => (await import("./decision-dialog")).DecisionDialog);

interface FindingsPageProps {
  practice: number;
  canAct: boolean;
  run: RunPage;
  colleagues: { id: number; name: string }[];
  initial: { query: Record<string, unknown>; page: { count: number; results: ListedFinding[] } };
}

/** Shows the findings of a run. Users decide on the selected ones, or on all that match the filter. */
export function FindingsPage({ practice, canAct, run: initialRun, colleagues, initial }: FindingsPageProps) {
  const router = useRouter();
  const { data, refetch: refetchRun } = useRun(practice, initialRun);
  const { run, groups } = data;
  const listFilter = useFindingFilter();
  const { fields, filter, offset } = listFilter;
  const path = `${runCall(practice, run.id)}/findings`;
  const list = useRunPage<ListedFinding>({
    path,
    query: { ...filter, offset: String(offset), limit: String(PAGE_SIZE) },
    initial: { query: new URLSearchParams(toQuery(initial.query)).toString(), page: initial.page },
  });
  const rows = list.data?.results;
  const { selection, setSelection, chosen } = useSelection(JSON.stringify(filter), rows);
  const [asking, setAsking] = useState<{ kind: DecisionKind; ids: readonly number[] | "all" } | null>(null);
  const [correcting, setCorrecting] = useState<ListedFinding | null>(null);
  const count = list.data?.count ?? 0;
  const done = async () => {
    setAsking(null);
    setCorrecting(null);
    setSelection(new Set());
    await Promise.all([list.refetch(), refetchRun()]);
  };
  // A decision on all that match applies to the open findings among them.
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const undecided = { ...set, decision: "open", ...(asking?.kind === "accept" && { fix: true }) };
  const undecidedCount = useQuery({
    queryKey: [path, "undecided", undecided],
    queryFn: ({ signal }) =>
      staffCall<{ count: number }>(`${path}?${new URLSearchParams({ ...toQuery(undecided), limit: "1" })}`, { signal }),
    enabled: asking?.ids === "all",
    staleTime: 0,
    gcTime: 0,
  });
  const decide = (kind: DecisionKind, ids: readonly number[] | "all") => setAsking({ kind, ids });
  const actions = { onAccept: ({ id }: ListedFinding) => decide("accept", [id]), onCorrect: setCorrecting };
  const exportPath = `${path}/export?${new URLSearchParams(filter)}`;
  return (
    <>
      <PageHeader
        trail={runTrail(practice, run)}
        title={text.title}
        meta={text.lead}
        actions={
          <>
            <DownloadButton path={`${exportPath}&format=csv`}>{text.csv}</DownloadButton>
            <DownloadButton path={`${exportPath}&format=ndjson`}>{text.ndjson}</DownloadButton>
            {canAct && count > 0 && (
              <>
                <Button onClick={() => decide("skip", "all")}>{text.skipAll}</Button>
                <Button kind="primary" onClick={() => decide("accept", "all")}>
                  {text.acceptAll}
                </Button>
              </>
            )}
          </>
        }
      />
      <Stepper practice={practice} run={run} here="review" />
      <FindingFilters value={listFilter} groups={groups} colleagues={colleagues} />
      <DataTable
        label={text.table}
        columns={findingColumns({ practice, run: run.id, colleagues, actions: canAct ? actions : undefined })}
        rows={rows}
        stale={list.isPlaceholderData}
        onOpen={(finding) => router.push(recordPath(practice, run.id, finding.number))}
        selectable={canAct && { selection, onSelection: setSelection, rowName: ({ id }) => text.row(id) }}
        failure={
          list.error && <ListError error={list.error} onRetry={() => void list.refetch()} onReset={listFilter.clear} />
        }
        empty={
          count > 0 ? (
            <PageOutOfRange count={count} noun={text.noun} onFirst={() => void listFilter.goToFirst()} />
          ) : listFilter.isSet ? (
            <EmptyState title={text.noMatch}>{text.noMatchHelp}</EmptyState>
          ) : (
            <EmptyState title={text.empty}>{text.emptyHelp}</EmptyState>
          )
        }
      />
      <Pager noun={text.noun} offset={offset} limit={PAGE_SIZE} count={list.data?.count} onOffset={listFilter.goTo} />
      <SelectionBar
        count={chosen.length}
        label={text.selection}
        status={text.selected(chosen.length)}
        onClear={() => setSelection(new Set())}
      >
        <Button onClick={() => decide("assign", chosen)}>{text.assign}</Button>
        <Button onClick={() => decide("reopen", chosen)}>{text.reopen}</Button>
        <Button onClick={() => decide("skip", chosen)}>{text.skip}</Button>
        <Button kind="primary" onClick={() => decide("accept", chosen)}>
          {text.accept}
        </Button>
      </SelectionBar>
      {undecidedCount.error && (
        <Notice tone="bad" live title={text.countFailed}>
          {undecidedCount.error.message}
        </Notice>
      )}
      {correcting && (
        <CorrectionDialog
          runPath={runCall(practice, run.id)}
          finding={correcting}
          onClose={() => setCorrecting(null)}
          onDone={done}
        />
      )}
      {asking && (asking.ids !== "all" || undecidedCount.data) && (
        <DecisionDialog
          path={`${runCall(practice, run.id)}/decisions`}
          kind={asking.kind}
          findings={asking.ids === "all" ? { filter: undecided } : { ids: asking.ids }}
          count={asking.ids === "all" ? (undecidedCount.data?.count ?? 0) : asking.ids.length}
          colleagues={colleagues}
          onClose={() => setAsking(null)}
          onDone={done}
        />
      )}
    </>
  );
}
