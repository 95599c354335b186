"use client";

import { useMutation } from "@tanstack/react-query";
import { toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { FormDialog } from "@/components/ui/form-dialog";
import { Notice } from "@/components/ui/notice";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import type { TestResult } from "@/lib/events/webhooks/schema";
import { testEventDialog as text } from "./messages/test-event";

/** Sends a test event to the endpoint of a subscription, and shows the outcome. */
export function TestEventDialog(props: { path: string; subscription: StaffSubscription; onClose: () => void }) {
  const { path, subscription, onClose } = props;
  const test = useMutation({ mutationFn: () => staffCall<TestResult>(path, { method: "POST" }) });
  const result = test.isPending ? undefined : test.data;
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(subscription.client_name)}
      description={<span className="break-words">{text.description(subscription.target)}</span>}
      submitLabel={result ? text.again : text.submit}
      cancelLabel={result ? text.close : text.cancel}
      busy={test.isPending}
      error={toFormError(test.error, text.failed)}
      onSubmit={() => test.mutate()}
    >
      {result && <Outcome result={result} />}
    </FormDialog>
  );
}

function Outcome({ result: { status_code, error, duration_ms } }: { result: TestResult }) {
  const outcome = status_code === null ? text.noResponse(duration_ms) : text.outcome(status_code, duration_ms);
  return (
    <Notice tone={error === null ? "good" : "bad"} live title={error === null ? text.delivered : text.notDelivered}>
      <p>{outcome}</p>
      {error !== null && <p className="break-words">{error}</p>}
    </Notice>
  );
}
