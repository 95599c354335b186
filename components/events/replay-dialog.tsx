"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useZone } from "@/components/ui/time";
import { fromLocalInput, toLocalInput } from "@/components/ui/zone-time";
import type { ReplayResult } from "@/lib/events/published/schema";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import { replayDialog as text } from "./messages/replay";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Sends the events of a subscription in a range of time again. Shows their number first. */
export function ReplayDialog(props: {
  path: string;
  subscription: StaffSubscription;
  onClose: () => void;
  onDone: (events: number) => void;
}) {
  const { path, subscription, onClose, onDone } = props;
  const zone = useZone();
  const [now] = useState(() => Date.now());
  const [from, setFrom] = useState(() => toLocalInput(new Date(now - DAY_MS).toISOString(), zone));
  // The input has no seconds, so the current minute is included by ending with the next one.
  const [to, setTo] = useState(() => toLocalInput(new Date(now + MINUTE_MS).toISOString(), zone));
  const [reason, setReason] = useState("");
  const range = { from: fromLocalInput(from, zone), to: fromLocalInput(to, zone) };
  const preview = useQuery({
    queryKey: [path, range],
    queryFn: ({ signal }) =>
      staffCall<{ result: ReplayResult }>(`${path}?dry_run=true`, { method: "POST", body: range, signal }),
    enabled: range.from !== null && range.to !== null,
    gcTime: 0,
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const replay = useMutation({
    mutationFn: () => staffCall<ReplayResult>(path, { method: "POST", body: range, reason: reason.trim() }),
    onSuccess: ({ events }) => onDone(events),
  });
  const error = replay.error ?? preview.error;
  const fields = fieldErrors(error);
  const count = preview.isSuccess ? preview.data.result.events : null;
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(subscription.client_name)}
      description={<span className="break-words">{text.description(subscription.target)}</span>}
      submitLabel={count ? text.submitCount(count) : text.submit}
      busy={replay.isPending}
      disabled={count === null || count === 0}
      error={toFormError(error, text.failed)}
      onSubmit={() => replay.mutate()}
    >
      <TextField
        type="datetime-local"
        label={text.from}
        required
        help={text.zone(zone.replace("_", " "))}
        value={from}
        error={fields.from?.[0]}
        onChange={(change) => setFrom(change.target.value)}
      />
      <TextField
        type="datetime-local"
        label={text.to}
        required
        value={to}
        error={fields.to?.[0]}
        onChange={(change) => setTo(change.target.value)}
      />
      <p role="status" className="text-soft min-h-5">
        {count !== null && text.count(count)}
      </p>
      <ReasonField help={text.reasonHelp} value={reason} onChange={setReason} />
    </FormDialog>
  );
}
