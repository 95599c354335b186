"use client";

import { Button } from "./button";
import { EmptyState } from "./empty-state";
import { listErrors, pager } from "./messages/lists";
import { Notice } from "./notice";

interface RefreshErrorNoticeProps {
  error: Error | null;
  /** Whether the list shows rows, from before the error. */
  isShown: boolean;
}

/** Warns above a list that it shows old rows because it could not be refreshed. */
export function RefreshErrorNotice({ error, isShown }: RefreshErrorNoticeProps) {
  if (!error || !isShown) return null;
  return (
    <div className="mb-3">
      <Notice tone="bad" live title={listErrors.notRefreshed}>
        {error.message}
      </Notice>
    </div>
  );
}

interface ListErrorProps {
  error: Error;
  onRetry: () => void;
  /** Clears the filters and returns to the first page. */
  onReset: () => void;
}

/** Replaces a list that could not be loaded. */
export function ListError({ error, onRetry, onReset }: ListErrorProps) {
  return (
    <div role="alert">
      <EmptyState
        title={listErrors.notLoaded}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <Button kind="primary" onClick={onRetry}>
              {listErrors.retry}
            </Button>
            <Button onClick={onReset}>{listErrors.reset}</Button>
          </div>
        }
      >
        {error.message}
      </EmptyState>
    </div>
  );
}

interface PageOutOfRangeProps {
  count: number;
  /** What the list shows, in the plural: `patients`. */
  noun: string;
  onFirst: () => void;
}

/** Replaces a page past the end of a list. */
export function PageOutOfRange({ count, noun, onFirst }: PageOutOfRangeProps) {
  return (
    <EmptyState title={pager.outOfRange} action={<Button onClick={onFirst}>{pager.toFirst}</Button>}>
      {pager.total(count, noun)}
    </EmptyState>
  );
}
