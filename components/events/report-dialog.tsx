"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldsOf, staffCall } from "@/components/session/staff-call";
import { ReasonField, TextAreaField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import type { EventDetail } from "@/lib/events/staff-queries";

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
  const report = useMutation({
    mutationFn: () =>
      staffCall<EventDetail>(`practices/${practice}/events/${event.event_id}`, {
        method: "PUT",
        body: {
          processed_date: processed === "" ? null : `${processed}:00Z`,
          error_content: content || null,
          // What is no number is for the server to refuse, in the words of the API.
          status_code: code.trim() === "" ? null : /^[+-]?\d+$/.test(code.trim()) ? Number(code) : code,
        },
        reason: reason.trim(),
      }),
    onSuccess: onDone,
  });
  const fields = fieldsOf(report.error);
  return (
    <FormDialog
      onClose={onClose}
      title={`Mark event ${event.event_id} as processed`}
      description="This stands for the client's own report. Without an error the event is not sent again; what its client reports later replaces it."
      act="Mark as processed"
      busy={report.isPending}
      failure={report.error && { title: "The event was not changed", why: report.error.message }}
      onSubmit={() => report.mutate()}
    >
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
      <ReasonField help="Kept in the event's history." value={reason} onChange={setReason} />
    </FormDialog>
  );
}
