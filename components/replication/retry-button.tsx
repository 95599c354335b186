"use client";

import { RotateCw } from "lucide-react";
import { useState } from "react";
import { CallError } from "@/components/session/call-error";
import { Button } from "@/components/ui/button";
import { useToasts } from "@/components/ui/toasts";
import type { ReplicationListRow } from "@/lib/insurance/replication/staff-queries";
import { retryButton as text } from "./messages/sync";
import { isRetriable, retryEvent } from "./retry-outcome";

interface RetryButtonProps {
  practice: number;
  event: ReplicationListRow;
  size?: "small" | "normal";
  onDone: () => void;
}

/** Retries an event and reports the result. Renders nothing if the event can't be retried. */
export function RetryButton({ practice, event, size = "normal", onDone }: RetryButtonProps) {
  const [busy, setBusy] = useState(false);
  const toast = useToasts();
  if (!isRetriable(event)) return null;
  const retry = async () => {
    setBusy(true);
    try {
      const { kind, text: result } = await retryEvent(practice, event.id);
      const notify = kind === "failed" ? toast.error : toast.success;
      notify(text.done(event.id, result));
    } catch (error) {
      toast.error(error instanceof CallError ? error.message : text.unexpected);
    }
    setBusy(false);
    onDone();
  };
  return (
    <Button size={size} busy={busy} aria-label={text.label(event.id)} onClick={() => void retry()}>
      <RotateCw aria-hidden className="size-4" /> {text.text}
    </Button>
  );
}
