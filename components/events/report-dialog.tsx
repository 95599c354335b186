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
import { reportDialog as text } from "./messages/dialogs";

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
      title={text.title(event.event_id)}
      description={text.description}
      submitLabel={text.submit}
      busy={report.isPending}
      error={toFormError(report.error, text.failed)}
      onSubmit={() => report.mutate()}
    >
      <TextField
        type="datetime-local"
        label={text.processed}
        required
        help={text.processedHelp(zone.replace("_", " "))}
        value={typed ?? toLocalInput(untouched, zone)}
        error={fields.processed_date?.[0]}
        onChange={(change) => setTyped(change.target.value)}
      />
      <TextField
        label={text.statusCode}
        inputMode="numeric"
        className="max-w-40"
        help={text.statusCodeHelp}
        value={code}
        error={fields.status_code?.[0]}
        onChange={(change) => setCode(change.target.value)}
      />
      <TextAreaField
        label={text.error}
        help={text.errorHelp}
        value={content}
        error={fields.error_content?.[0]}
        onChange={(change) => setContent(change.target.value)}
      />
      <ReasonField help={text.reasonHelp} value={reason} onChange={setReason} />
    </FormDialog>
  );
}
