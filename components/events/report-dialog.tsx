"use client";

import { useState } from "react";
import { CallError, type FieldProblems, staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/status";
import type { EventDetail } from "./types";

interface ReportDialogProps {
  practice: number;
  event: EventDetail;
  onClose: () => void;
  onDone: (event: EventDetail) => void;
}

/** Marks an event as processed on behalf of its client, with the three fields a client reports itself. */
export function ReportDialog({ practice, event, onClose, onDone }: ReportDialogProps) {
  const reported = event.reported ? event : null;
  const [processed, setProcessed] = useState((reported?.processed_date ?? new Date().toISOString()).slice(0, 16));
  const [code, setCode] = useState(String(reported?.status_code ?? ""));
  const [content, setContent] = useState(reported?.error_content ?? "");
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<CallError | null>(null);
  const fields: FieldProblems = problem?.fields ?? {};
  const save = async () => {
    setBusy(true);
    setProblem(null);
    const body = {
      processed_date: processed === "" ? null : `${processed}:00Z`,
      error_content: content || null,
      // What is no number is for the server to refuse, in the words of the API.
      status_code: code.trim() === "" ? null : /^[+-]?\d+$/.test(code.trim()) ? Number(code) : code,
    };
    try {
      const path = `practices/${practice}/events/${event.event_id}`;
      onDone(await staffCall<EventDetail>(path, { method: "PUT", body, ...(reason ? { reason } : {}) }));
    } catch (error) {
      setProblem(error instanceof CallError ? error : new CallError(500, "error", "The page failed."));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Mark event ${event.event_id} as processed`}
      description="This stands for the client's own report. Without an error the event is not sent again; what its client reports later replaces it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} onClick={() => void save()}>
            Mark as processed
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {problem && (
          <Notice tone="bad" live title="The event was not changed">
            {problem.message}
          </Notice>
        )}
        <TextField
          type="datetime-local"
          label="Processed at, UTC"
          required
          value={processed}
          error={fields.processed_date?.[0]}
          onChange={(change) => setProcessed(change.target.value)}
        />
        <TextField
          label="Status code"
          inputMode="numeric"
          className="max-w-40"
          help="Such as 200. May stay empty."
          value={code}
          error={fields.status_code?.[0]}
          onChange={(change) => setCode(change.target.value)}
        />
        <TextAreaField
          label="Error"
          help="Leave empty where it went well. With an error the event counts as failed."
          value={content}
          error={fields.error_content?.[0]}
          onChange={(change) => setContent(change.target.value)}
        />
        <TextField
          label="Reason"
          help="Kept in the event's history."
          maxLength={500}
          value={reason}
          onChange={(change) => setReason(change.target.value)}
        />
      </div>
    </Dialog>
  );
}
