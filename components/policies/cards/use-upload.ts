"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { CallError } from "@/components/session/call-error";
import type { UploadWatch } from "./card-actions";

/** Sends a finished picture to a place. */
export type SendPicture = (blob: Blob, rank: number, watch: UploadWatch) => Promise<void>;

interface Problem {
  text: string;
  /** The connection was lost: it is tried again when it is back. */
  offline: boolean;
}

/** One upload at a time: how far it is, and what went wrong with the last one. */
export function useUpload(onSend: SendPicture) {
  const [progress, setProgress] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  const start = async (finish: () => Promise<Blob>, rank: number) => {
    if (running.current) return;
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setProblem(null);
    setProgress(0);
    try {
      const blob = await finish();
      signal.throwIfAborted();
      await onSend(blob, rank, { onProgress: setProgress, signal });
    } catch (error) {
      if (!signal.aborted) {
        const offline = error instanceof CallError && error.status === 0;
        setProblem({ text: (error as Error).message, offline });
      }
    } finally {
      running.current = null;
      setProgress(null);
    }
  };
  return {
    progress,
    problem,
    start,
    /** Set aside: nothing goes on, or begins again, by itself. */
    stop: () => {
      running.current?.abort();
      setProblem(null);
    },
  };
}

/** Does something when the network is back. */
export function useOnline(listener: () => void): void {
  const back = useEffectEvent(listener);
  useEffect(() => {
    const listen = () => back();
    window.addEventListener("online", listen);
    return () => window.removeEventListener("online", listen);
  }, []);
}
