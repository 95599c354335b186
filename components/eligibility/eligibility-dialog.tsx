"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { classNames } from "@/components/ui/class-names";
import { Dialog } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import type { CheckWithReport, ShownCheck } from "@/lib/insurance/eligibility/staff-queries";
import { sourceText } from "../policies/change-sources";
import { type PolicyRef, policiesPath } from "../policies/paths";
import { EligibilityReport } from "./eligibility-report";
import { reasonText } from "./messages/line";
import { eligibilityDialog as text } from "./messages/report";

interface EligibilityDialogProps {
  policy: PolicyRef;
  name: string;
  onClose: () => void;
}

/** Shows the full report of a check of a policy, and all checks with who asked. */
export function EligibilityDialog({ policy, name, onClose }: EligibilityDialogProps) {
  const path = `${policiesPath(policy.practice, policy.patient, policy.policy)}/eligibility`;
  const list = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<{ checks: ShownCheck[] }>(path, { signal }),
  });
  const [picked, pick] = useState<number | null>(null);
  const checks = list.data?.checks ?? [];
  const chosen = checks.find(({ id }) => id === picked) ?? checks[0];
  const report = useQuery({
    queryKey: [path, chosen?.id],
    queryFn: ({ signal }) => staffCall<CheckWithReport>(`${path}/${chosen?.id}`, { signal }),
    enabled: chosen !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const error = list.error ?? report.error;
  return (
    <Dialog open wide title={text.title(name)} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {error && (
          <Notice tone="bad" live title={text.failedTitle}>
            {error.message}
          </Notice>
        )}
        {list.data && !chosen && <p className="text-soft">{text.never}</p>}
        {chosen && report.data && <EligibilityReport check={report.data} />}
        {!error && (!list.data || (chosen && !report.data)) && (
          <div role="status" aria-label={text.loading} className="bg-sunken h-48 animate-pulse rounded-md" />
        )}
        {checks.length > 0 && (
          <section>
            <h3 className="mb-1.5 font-semibold">{text.history}</h3>
            <ul className="border-line divide-line divide-y rounded-md border">
              {checks.map((check) => (
                <li key={check.id}>
                  <button
                    type="button"
                    aria-pressed={check.id === chosen?.id}
                    onClick={() => pick(check.id)}
                    className={classNames(
                      "flex w-full flex-wrap items-baseline justify-between gap-x-3 px-3 py-1.5 text-left",
                      check.id === chosen?.id ? "bg-accent-soft" : "hover:bg-sunken",
                    )}
                  >
                    <span>
                      <span className="font-medium">{text.status[check.status]}</span>
                      {check.status === "error" && (
                        <span className="text-soft">: {reasonText(check.details.errors[0])}</span>
                      )}
                    </span>
                    <span className="text-soft text-sm">
                      <Time value={check.checked_date} exact /> · {text.checkedBy(check.by, sourceText(check.source))}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  );
}
