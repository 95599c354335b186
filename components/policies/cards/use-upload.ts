"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { CallError } from "@/components/session/call-error";
import { errorMessage } from "@/components/ui/error-message";
import type { UploadWatch } from "./upload";

/** Uploads an edited picture to a place. */
export type SendPicture = (blob: Blob, place: number, watch: UploadWatch) => Promise<void>;

interface Problem {
  message: string;
  /** Whether the connection was lost. The upload is repeated when it is back. */
  isOffline: boolean;
}

/** Runs one upload at a time, with its progress and the problem of the last one. */
export function useUpload(onSend: SendPicture) {
  const [progress, setProgress] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  const start = async (finish: () => Promise<Blob>, place: number) => {
    if (running.current) return;
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setProblem(null);
    setProgress(0);
    try {
      const blob = await finish();
      signal.throwIfAborted();
      await onSend(blob, place, { onProgress: setProgress, signal });
    } catch (error) {
      if (!signal.aborted) setProblem(toProblem(error));
    } finally {
      running.current = null;
      setProgress(null);
    }
  };
  return {
    progress,
    problem,
    start,
    /** Stops the upload, and does not repeat it when the connection is back. */
    stop: () => {
      running.current?.abort();
      setProblem(null);
    },
  };
}

function toProblem(error: unknown): Problem {
  const isOffline = error instanceof CallError && error.status === 0;
  return { message: errorMessage(error), isOffline };
}

/** Calls `listener` when the network is back. */
export function useOnline(listener: () => void): void {
  const onOnline = useEffectEvent(listener);
  useEffect(() => {
    const handler = () => onOnline();
    window.addEventListener("online", handler);
    return () => window.removeEventListener("online", handler);
  }, []);
}
