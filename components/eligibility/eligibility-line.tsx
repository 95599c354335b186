"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { useNow } from "@/components/ui/now";
import { Status, type StatusKind } from "@/components/ui/status";
import { useZone } from "@/components/ui/time";
import type { EligibilityDetails } from "@/lib/insurance/eligibility/schema";
import type { LatestCheck, ShownCheck } from "@/lib/insurance/eligibility/staff-queries";
import { dateFormat } from "@/lib/platform/date-format";
import { type PolicyRef, policiesPath } from "../policies/paths";
import { checkAge } from "./check-age";
import { eligibilityLine as text } from "./messages/line";

const EligibilityDialog = lazyWithRetry(async () => (await import("./eligibility-dialog")).EligibilityDialog);

interface EligibilityLineProps {
  policy: PolicyRef;
  /** The policy, for screen readers and the title of the dialog. */
  name: string;
  /** The copay of the policy, in dollars, as `25.00`. */
  copay: string | null;
  latest: LatestCheck | null;
  canVerify: boolean;
}

/** Says when the eligibility of a policy was last verified and with which result. Verifies it, and opens the details. */
export function EligibilityLine({ policy, name, copay, latest, canVerify }: EligibilityLineProps) {
  const [isOpen, setOpen] = useState(false);
  const zone = useZone();
  const now = useNow();
  const client = useQueryClient();
  const verify = useMutation<ShownCheck, CallError>({
    mutationFn: () =>
      staffCall<ShownCheck>(`${policiesPath(policy.practice, policy.patient, policy.policy)}/eligibility`, {
        method: "POST",
      }),
    networkMode: "always",
    onSuccess: () => void client.invalidateQueries(),
  });
  const own = verify.data;
  // The page may not have been read again yet.
  const shown =
    own && (!latest || own.id > latest.id) ? { ...own, outdated: false, denied: own.status === "inactive" } : latest;
  const { kind, sentence, isFresh } = describe(shown, { copay, zone, now });
  return (
    <div className="mt-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span role="status" className="min-w-0">
          <Status kind={kind}>
            <span className="wrap-anywhere whitespace-normal">{sentence}</span>
          </Status>
        </span>
        {shown?.provider === "simulator" && <span className="text-soft text-sm">{text.simulated}</span>}
        <span className="screen-only flex flex-wrap gap-1.5">
          {canVerify && (
            <Button
              size="small"
              // Each check may cost the practice money.
              kind={isFresh ? "quiet" : undefined}
              busy={verify.isPending}
              onClick={() => verify.mutate()}
              aria-label={shown ? text.verifyAgainOf(name) : text.verifyOf(name)}
            >
              {shown ? text.verifyAgain : text.verify}
            </Button>
          )}
          {shown && (
            <Button size="small" kind="quiet" onClick={() => setOpen(true)} aria-label={text.detailsOf(name)}>
              {text.details}
            </Button>
          )}
        </span>
      </div>
      {verify.error && (
        <p role="alert" className="text-bad">
          {text.callFailed} {verify.error.message}
        </p>
      )}
      {isOpen && <EligibilityDialog policy={policy} name={name} onClose={() => setOpen(false)} />}
    </div>
  );
}

interface Described {
  kind: StatusKind;
  sentence: string;
  /** Whether the payer answered within a day, so that asking again is rarely worth it. */
  isFresh: boolean;
}

function describe(
  check: LatestCheck | null,
  { copay, zone, now }: { copay: string | null; zone: string; now: number | null },
): Described {
  if (!check) return { kind: "archived", sentence: text.never, isFresh: false };
  const day = dateFormat("en-US", { dateStyle: "medium", timeZone: zone }).format(new Date(check.checked_date));
  const { status, details, outdated } = check;
  if (outdated) return { kind: "warning", sentence: text.outdated(day), isFresh: false };
  if (status === "error") return { kind: "failed", sentence: text.failed(day, details.errors[0]), isFresh: false };
  const age = checkAge(check.checked_date, now);
  const reported = status === "active" ? reportedCopay(details) : null;
  const isOtherCopay = typeof reported === "number" && copay !== null && reported !== Number(copay);
  const answer = text.answer(status, reported, isOtherCopay ? copay : null);
  return {
    kind: status === "inactive" || age === "old" || isOtherCopay ? "warning" : "good",
    sentence: age === "old" ? text.old(answer, day) : text.recent(answer, day),
    isFresh: age === "today",
  };
}

/** Returns the copay that the payer reported, in dollars. If there are several, none of them can be compared. */
function reportedCopay({ copay, copay_ambiguous }: EligibilityDetails): number | "several" | null {
  return copay_ambiguous ? "several" : (copay ?? null);
}
