"use client";

import { Button } from "./button";
import { EmptyState } from "./empty-state";
import { formatNumber } from "./format";
import { Notice } from "./notice";

/** Above a list that is shown as it last was: why it is not newer. */
export function StaleNotice({ error, isShown }: { error: Error | null /** There are rows. */; isShown: boolean }) {
  if (!error || !isShown) return null;
  return (
    <div className="mb-3">
      <Notice tone="bad" live title="The list could not be brought up to date">
        {error.message}
      </Notice>
    </div>
  );
}

interface UnreadListProps {
  error: Error;
  onRetry: () => void;
  /** Back to the list without filters, from its beginning. */
  onReset: () => void;
}

/** In a list's place where it could not be read at all: why, and the ways out. */
export function UnreadList({ error, onRetry, onReset }: UnreadListProps) {
  return (
    <div role="alert">
      <EmptyState
        title="The list could not be read"
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <Button kind="primary" onClick={onRetry}>
              Try again
            </Button>
            <Button onClick={onReset}>Show all from the beginning</Button>
          </div>
        }
      >
        {error.message}
      </EmptyState>
    </div>
  );
}

/** In a list's place where the page asked for lies behind its end. */
export function BehindEnd({ count, of, onFirst }: { count: number; of: string; onFirst: () => void }) {
  return (
    <EmptyState
      title="This page is behind the end of the list"
      action={<Button onClick={onFirst}>Go to the first page</Button>}
    >
      There are {formatNumber(count)} {of}; fewer than where this page begins.
    </EmptyState>
  );
}
