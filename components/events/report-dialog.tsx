"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField, TextAreaField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useZone } from "@/components/ui/time";
import { fromLocalInput, toLocalInput } from "@/components/ui/zone-time";
import type { EventDetail } from "@/lib/events/published/staff-queries";

interface ReportDialogProps {
  practice: number;
  event: EventDetail;
  onClose: () => void;
  onDone: (event: EventDetail) => void;
}

/** Marks an event as processed on behalf of its client, with the three fields that clients report. */
export function ReportDialog({ practice, event, onClose, onDone }: ReportDialogProps) {
  const reported = event.reported ? event : null;
  const zone = useZone();
  const [now] = useState(() => new Date().toISOString());
  // The input has no seconds, so an unchanged time is sent in full.
  const untouched = reported?.processed_date ?? now;
  const [typed, setTyped] = useState<string | null>(null);
  const processed = typed === null ? untouched : fromLocalInput(typed, zone);
  const [code, setCode] = useState(String(reported?.status_code ?? ""));
  const [content, setContent] = useState(reported?.error_content ?? "");
  const [reason, setReason] = useState("");
  const report = useMutation({
    mutationFn: () =>
      staffCall<EventDetail>(`practices/${practice}/events/${event.event_id}`, {
        method: "PUT",
        body: {
          processed_date: processed,
          error_content: content || null,
          // Anything but a number is sent as is, so that the API's own error is shown.
          status_code: code.trim() === "" ? null : /^[+-]?\d+$/.test(code.trim()) ? Number(code) : code,
        },
        reason: reason.trim(),
      }),
    onSuccess: onDone,
  });
  const fields = fieldErrors(report.error);
  return (
    <FormDialog
      onClose={onClose}
      title={`Mark event ${event.event_id} as processed`}
      description="Use this in place of the client's own report. If you leave the error blank, the event is not sent again. A later report by the client replaces yours."
      submitLabel="Mark as processed"
      busy={report.isPending}
      error={toFormError(report.error, "The event was not changed")}
      onSubmit={() => report.mutate()}
    >
      <TextField
        type="datetime-local"
        label="Processed at"
        required
        help={`In the practice's time zone (${zone.replace("_", " ")}).`}
        value={typed ?? toLocalInput(untouched, zone)}
        error={fields.processed_date?.[0]}
        onChange={(change) => setTyped(change.target.value)}
      />
      <TextField
        label="Status code"
        inputMode="numeric"
        className="max-w-40"
        help="Optional, such as 200."
        value={code}
        error={fields.status_code?.[0]}
        onChange={(change) => setCode(change.target.value)}
      />
      <TextAreaField
        label="Error"
        help="Leave blank if processing succeeded. An event with an error counts as failed."
        value={content}
        error={fields.error_content?.[0]}
        onChange={(change) => setContent(change.target.value)}
      />
      <ReasonField help="Saved in the event's history." value={reason} onChange={setReason} />
    </FormDialog>
  );
}
