"use client";

import { useEffect, useRef, useState } from "react";
import { CallError } from "@/components/session/call-error";
import type { StatusKind } from "./status";

/** What came of one record. */
export interface BulkResult {
  id: number;
  kind: StatusKind;
  text: string;
}

interface Bulk {
  results: readonly BulkResult[];
  /** Records nothing came of yet. */
  left: number;
  running: boolean;
  /** It was stopped by whoever watches it. */
  stopped: boolean;
  /** Why it ended before its time. */
  problem: CallError | null;
  start: () => void;
  /** Ends it after the batch that is under way. */
  stop: () => void;
}

/**
 * Does something with many records in small batches, so that a lost network loses one answer at most. What was done stays
 * done, and the rest can be taken up again.
 */
export function useBulk(work: {
  ids: readonly number[];
  /** Records at once. */
  size: number;
  run: (ids: readonly number[]) => Promise<BulkResult[]>;
  onEnd: () => void;
}): Bulk {
  const { ids, size, run, onEnd } = work;
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [running, setRunning] = useState(false);
  const [stopped, setStopped] = useState(false);
  const [problem, setProblem] = useState<CallError | null>(null);
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
    setProblem(null);
    const done = new Set(results.map(({ id }) => id));
    const rest = ids.filter((id) => !done.has(id));
    try {
      for (let at = 0; at < rest.length && !isStopped.current; at += size) {
        const batch = await run(rest.slice(at, at + size));
        setResults((before) => [...before, ...batch]);
      }
      setStopped(isStopped.current);
    } catch (error) {
      setProblem(error instanceof CallError ? error : new CallError(500, "error", "The page failed."));
    }
    setRunning(false);
    onEnd();
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { results, left: ids.length - results.length, running, stopped, problem, start: () => void start(), stop };
}
