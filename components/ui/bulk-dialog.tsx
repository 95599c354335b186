"use client";

import { type ReactNode, useState } from "react";
import { BulkResults } from "./bulk-results";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { capitalize, pluralize } from "./format";
import { Notice } from "./notice";
import { type BulkResult, useBulk } from "./use-bulk";

interface BulkDialogProps {
  title: string;
  description: string;
  /** The action in its three forms: `Retry`, `Retrying`, `retried`. */
  verb: { base: string; progressive: string; past: string };
  /** What the records are: `event`. */
  noun: string;
  /** The records; null while they load. */
  ids: readonly number[] | null;
  /** Why the records could not be loaded. */
  error: Error | null;
  /** Shown before the action starts. */
  summary: ReactNode;
  batchSize: number;
  run: (ids: readonly number[]) => Promise<BulkResult[]>;
  /** The page of a record. */
  hrefOf: (id: number) => string;
  onClose: () => void;
  /** Called when the action has finished or stopped. */
  onEnd: () => void;
}

/** Runs an action on many records and shows progress and results. It can be stopped and resumed, also after a network error. */
export function BulkDialog(props: BulkDialogProps) {
  const { title, description, verb, noun, error, summary, batchSize, run, hrefOf, onClose, onEnd } = props;
  // The records that match may change while the action runs. Keep to those the user has seen.
  const [ids, setIds] = useState(props.ids);
  if (ids === null && props.ids !== null) setIds(props.ids);
  const bulk = useBulk({ ids: ids ?? [], batchSize, run, onEnd });
  const { results, left, running, stopped, failure } = bulk;
  const total = ids?.length ?? 0;
  const done = results.length;
  const isStarted = done > 0 || running || stopped || failure !== null;
  const progress = `${done} of ${total}`;
  return (
    <Dialog
      open
      onClose={running ? bulk.stop : onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={running ? bulk.stop : onClose}>{running ? "Stop" : isStarted ? "Close" : "Cancel"}</Button>
          {left > 0 && (
            <Button kind="primary" busy={running} onClick={bulk.start}>
              {running
                ? verb.progressive
                : isStarted
                  ? `${verb.base} the other ${left}`
                  : `${verb.base} ${pluralize(left, noun)}`}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {error && ids === null && (
          <Notice tone="bad" live title={`The ${noun}s could not be counted`}>
            {error.message}
          </Notice>
        )}
        {ids === null && !error && <p role="status">Counting…</p>}
        {ids !== null && !isStarted && <div role="status">{summary}</div>}
        {isStarted && (
          <div>
            <progress aria-label={capitalize(verb.past)} max={total} value={done} />
            <p role="status">
              {progress} {verb.past}
            </p>
          </div>
        )}
        {stopped && left > 0 && (
          <Notice live title={`Stopped after ${progress}`}>
            The results of {pluralize(done, noun)} are below. The other {left} were not {verb.past}.
          </Notice>
        )}
        {failure && (
          <Notice tone="bad" live title={`Stopped after ${progress}`}>
            {failure.status === 0
              ? `The server can't be reached. The results of ${pluralize(done, noun)} are below. The other ${left} can be ${verb.past} once you are back online; trying again does no harm.`
              : `${failure.message} The results of ${pluralize(done, noun)} are below.`}
          </Notice>
        )}
        {done > 0 && <BulkResults noun={noun} results={results} hrefOf={hrefOf} />}
      </div>
    </Dialog>
  );
}
