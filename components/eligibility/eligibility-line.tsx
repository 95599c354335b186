"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Status, type StatusKind } from "@/components/ui/status";
import { useZone } from "@/components/ui/time";
import type { LatestCheck, ShownCheck } from "@/lib/insurance/eligibility/staff-queries";
import { dateFormat } from "@/lib/platform/date-format";
import { type PolicyRef, policiesPath } from "../policies/paths";
import { eligibilityLine as text } from "./messages/line";

const EligibilityDialog = lazyWithRetry(async () => (await import("./eligibility-dialog")).EligibilityDialog);

interface EligibilityLineProps {
  policy: PolicyRef;
  /** The policy, for screen readers and the title of the dialog. */
  name: string;
  latest: LatestCheck | null;
  canVerify: boolean;
}

/** Says when the eligibility of a policy was last verified and with which result. Verifies it, and opens the details. */
export function EligibilityLine({ policy, name, latest, canVerify }: EligibilityLineProps) {
  const [isOpen, setOpen] = useState(false);
  const zone = useZone();
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
  const shown = own && (!latest || own.id > latest.id) ? { ...own, outdated: false } : latest;
  return (
    <div className="mt-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span role="status" className="min-w-0">
          <Status kind={kindOf(shown)}>
            <span className="wrap-anywhere whitespace-normal">{sentence(shown, zone)}</span>
          </Status>
        </span>
        {shown?.provider === "simulator" && <span className="text-soft text-sm">{text.simulated}</span>}
        <span className="screen-only flex flex-wrap gap-1.5">
          {canVerify && (
            <Button
              size="small"
              busy={verify.isPending}
              onClick={() => verify.mutate()}
              aria-label={text.verifyOf(name)}
            >
              {text.verify}
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

function kindOf(check: LatestCheck | null): StatusKind {
  if (!check) return "archived";
  if (check.outdated) return "warning";
  return check.status === "active" ? "good" : check.status === "inactive" ? "warning" : "failed";
}

function sentence(check: LatestCheck | null, zone: string): string {
  if (!check) return text.never;
  const day = dateFormat("en-US", { dateStyle: "medium", timeZone: zone }).format(new Date(check.checked_date));
  const { status, details, outdated } = check;
  if (outdated) return text.outdated(day);
  return status === "error" ? text.failed(day, details.errors[0]) : text.verified(day, status, details.copay ?? null);
}
