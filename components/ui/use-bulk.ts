"use client";

import { useEffect, useRef, useState } from "react";
import { CallError } from "@/components/session/call-error";
import type { StatusKind } from "./status";

/** The outcome of the action on one record. */
export interface BulkResult {
  id: number;
  kind: StatusKind;
  text: string;
}

interface BulkOptions {
  ids: readonly number[];
  batchSize: number;
  run: (ids: readonly number[]) => Promise<BulkResult[]>;
  onEnd: () => void;
}

interface Bulk {
  results: readonly BulkResult[];
  /** How many records have no result yet. */
  left: number;
  running: boolean;
  /** Whether the user stopped it. */
  stopped: boolean;
  /** Why it stopped by itself. */
  failure: CallError | null;
  /** Starts or resumes with the records that have no result yet. */
  start: () => void;
  /** Stops after the current batch. */
  stop: () => void;
}

/** Runs an action on many records in small batches, so that a lost connection loses the results of one batch at most. */
export function useBulk({ ids, batchSize, run, onEnd }: BulkOptions): Bulk {
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [running, setRunning] = useState(false);
  const [stopped, setStopped] = useState(false);
  const [failure, setFailure] = useState<CallError | null>(null);
  const isStopped = useRef(false);
  useEffect(() => {
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  const start = async () => {
    isStopped.current = false;
    setRunning(true);
    setStopped(false);
    setFailure(null);
    const done = new Set(results.map(({ id }) => id));
    const rest = ids.filter((id) => !done.has(id));
    try {
      for (let start = 0; start < rest.length && !isStopped.current; start += batchSize) {
        const batch = await run(rest.slice(start, start + batchSize));
        setResults((before) => [...before, ...batch]);
      }
      setStopped(isStopped.current);
    } catch (error) {
      setFailure(error instanceof CallError ? error : new CallError(500, "error", "The page failed."));
    }
    setRunning(false);
    onEnd();
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { results, left: ids.length - results.length, running, stopped, failure, start: () => void start(), stop };
}
