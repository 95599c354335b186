"use client";

import { RotateCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ComponentType, type ReactNode, useState } from "react";
import { Button } from "./button";
import { type Column, DataTable } from "./data-table";
import { EmptyState } from "./empty-state";
import { ListError, PageOutOfRange, RefreshErrorNotice } from "./list-errors";
import { LiveListStatus } from "./live-list-status";
import { eventList as text } from "./messages/lists";
import { PageHeader } from "./page-header";
import { Pager } from "./pager";
import type { RetryDialogProps, RetryTarget } from "./retry-dialog";
import type { RetryText } from "./retry-text";
import { SelectionBar } from "./selection-bar";
import type { ListFilter } from "./use-list-filter";
import type { LiveList } from "./use-live-list";
import { useOpenParam } from "./use-open-param";
import { useSelection } from "./use-selection";

export const PAGE_SIZE = 50;

interface RetryableListProps<T extends { id: number }> {
  title: string;
  /** What the page calls repeating an event. */
  retryText: RetryText;
  /** How many events can be retried, if not all of them. */
  retryable?: number | undefined;
  meta?: ReactNode;
  practice: number;
  list: Pick<LiveList<T>, "page" | "rows" | "newer" | "stale" | "error" | "refreshError" | "reload" | "refresh">;
  filter: Pick<ListFilter, "filter" | "isSet" | "clear"> & {
    offset: number;
    goTo: (offset: number) => void;
    goToFirst: () => Promise<unknown>;
  };
  table: {
    label: string;
    columns: Column<T>[];
    order?: string;
    onOrder?: (order: string) => void;
  };
  /** The ID that the API and the event's page use. */
  eventId: (event: T) => number;
  /** Path of the list's page; an event's page is below it. */
  path: string;
  /** Shown if there are no events and no filters. */
  empty: ReactNode;
  /** null until its code is loaded. */
  RetryDialog: ComponentType<RetryDialogProps> | null;
  /** Between the header and the list. */
  children: ReactNode;
}

/** Renders a page of events that can be retried: each one, the selected ones, or all that match the filter. */
export function RetryableList<T extends { id: number }>(props: RetryableListProps<T>) {
  const { title, retryText, meta, practice, list, filter, table, eventId, path, empty, RetryDialog, children } = props;
  const hasNone = list.page?.count === 0 || props.retryable === 0;
  const router = useRouter();
  const { selection, setSelection, chosen } = useSelection(JSON.stringify(filter.filter), list.rows, eventId);
  const [retry, setRetry] = useState<RetryTarget | null>(null);
  const retryAll = () => setRetry({ filter: filter.filter });
  useOpenParam("retry", retryAll);
  const showNewer = () => void (filter.offset > 0 ? filter.goToFirst().then(list.reload) : list.reload());
  return (
    <>
      <PageHeader
        title={title}
        meta={meta}
        actions={
          <Button disabled={hasNone} onClick={retryAll}>
            <RotateCw aria-hidden className="size-4" /> {filter.isSet ? retryText.allMatching : retryText.all}
          </Button>
        }
      />
      {children}
      <LiveListStatus newer={list.newer} onShow={showNewer} refreshError={list.refreshError} />
      <RefreshErrorNotice error={list.error} isShown={list.page !== undefined} />
      <DataTable
        {...table}
        rows={list.rows}
        stale={list.stale}
        onOpen={(event) => router.push(`${path}/${eventId(event)}`)}
        selectable={{ selection, onSelection: setSelection, rowName: (event) => text.row(eventId(event)) }}
        failure={
          list.error && <ListError error={list.error} onRetry={() => void list.reload()} onReset={filter.clear} />
        }
        empty={
          list.page && list.page.count > 0 ? (
            <PageOutOfRange count={list.page.count} noun={text.noun} onFirst={() => void filter.goToFirst()} />
          ) : filter.isSet ? (
            <EmptyState title={text.noMatch}>{text.noMatchHelp}</EmptyState>
          ) : (
            empty
          )
        }
      />
      <Pager
        noun={text.noun}
        offset={filter.offset}
        limit={PAGE_SIZE}
        count={list.page?.count}
        hasMore={list.page?.has_more}
        onOffset={filter.goTo}
      />
      <SelectionBar
        count={chosen.length}
        label={text.selection}
        status={text.selected(chosen.length)}
        onClear={() => setSelection(new Set())}
      >
        <Button kind="primary" onClick={() => setRetry({ ids: chosen })}>
          <RotateCw aria-hidden className="size-4" /> {retryText.selected}
        </Button>
      </SelectionBar>
      {retry && RetryDialog && (
        <RetryDialog practice={practice} target={retry} onClose={() => setRetry(null)} onEnd={list.refresh} />
      )}
    </>
  );
}
