"use client";

import { useEffect, useRef, useState } from "react";
import { CallError } from "@/components/session/call-error";
import { page as text } from "./messages/page";

interface Batches<R> {
  results: readonly R[];
  /** The number of records without a result. */
  left: number;
  running: boolean;
  /** Whether the user stopped the work. */
  stopped: boolean;
  /** The error that ended the work early. */
  error: CallError | null;
  /** Starts, or continues with the records without a result. */
  start: () => void;
  /** Stops after the current batch. */
  stop: () => void;
}

interface BatchWork<R> {
  ids: readonly number[];
  size: number;
  run: (ids: readonly number[]) => Promise<R[]>;
  /** Called each time the work ends, for any reason. */
  onEnd: () => void;
}

/**
 * Processes records in small batches, so that a lost connection loses at most one response. Results are kept when the work stops
 * or fails, and `start` continues it.
 */
export function useBatches<R extends { id: number }>({ ids, size, run, onEnd }: BatchWork<R>): Batches<R> {
  const [results, setResults] = useState<readonly R[]>([]);
  const [running, setRunning] = useState(false);
  const [stopped, setStopped] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
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
    setError(null);
    const done = new Set(results.map(({ id }) => id));
    const rest = ids.filter((id) => !done.has(id));
    try {
      for (let at = 0; at < rest.length && !isStopped.current; at += size) {
        const batch = await run(rest.slice(at, at + size));
        setResults((before) => [...before, ...batch]);
      }
      setStopped(isStopped.current);
    } catch (cause) {
      setError(cause instanceof CallError ? cause : new CallError(500, "error", text.unexpected));
    }
    setRunning(false);
    onEnd();
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { results, left: ids.length - results.length, running, stopped, error, start: () => void start(), stop };
}
