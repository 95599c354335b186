"use client";

import { useState } from "react";
import { archiveReasonText } from "@/components/policies/archive-reasons";
import { Effective } from "@/components/policies/effective";
import { policyName } from "@/components/policies/fields";
import { pagePath } from "@/components/policies/paths";
import { Button } from "@/components/ui/button";
import { Summary } from "@/components/ui/disclosure";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import { archivedPolicies as text } from "./messages/policies";
import type { ShownPolicy } from "./use-patient";

const RestoreDialog = lazyWithRetry(async () => (await import("@/components/policies/restore-dialog")).RestoreDialog);

interface ArchivedPoliciesProps {
  practice: number;
  /** Newest first. */
  policies: readonly ShownPolicy[];
  active: readonly ShownPolicy[];
  canWrite: boolean;
}

/** Lists archived policies with the reason, collapsed at first, and restores them. */
export function ArchivedPolicies({ practice, policies, active, canWrite }: ArchivedPoliciesProps) {
  const [selected, setSelected] = useState<ShownPolicy | null>(null);
  // Its current version, unless someone else has just restored it.
  const restored = policies.find(({ id }) => id === selected?.id) ?? selected;
  return (
    <details className="screen-only border-line bg-raised rounded-md border">
      <Summary className="min-h-9 px-3 font-medium">
        {text.title} <span className="text-soft font-normal">{policies.length}</span>
      </Summary>
      <ul className="border-line border-t">
        {policies.map((policy) => (
          <li key={policy.id} className="border-line border-b px-3 py-2 last:border-0">
            <div className="flex flex-wrap items-baseline justify-between gap-x-3">
              <TextLink href={pagePath(practice, policy.patient, "policies", policy.id)} className="font-medium">
                {policyName(policy)}
              </TextLink>
              {policy.archived_date && (
                <Status kind="archived">
                  {text.archived} <Time value={policy.archived_date} />
                </Status>
              )}
            </div>
            <p className="text-soft">
              {policy.member_id && <span className="font-mono">{policy.member_id} · </span>}
              <Effective start={policy.start_date} end={policy.end_date} />
            </p>
            <div className="flex flex-wrap items-center justify-between gap-x-3">
              <p>{describeArchival(policy)}</p>
              {canWrite && (
                <Button
                  size="small"
                  aria-label={text.restorePolicy(policyName(policy))}
                  onClick={() => setSelected(policy)}
                >
                  {text.restore}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {restored && <RestoreDialog policy={restored} others={active} onClose={() => setSelected(null)} />}
    </details>
  );
}

/** Says who archived a policy and why: `Ada Lovelace: on request, “moved away”`. */
function describeArchival(policy: ShownPolicy): string {
  const reason = describeReason(policy);
  return policy.archival ? text.by(policy.archival.by, reason) : reason;
}

function describeReason({ archive_reason, archival, rank }: ShownPolicy): string {
  const note = archival?.reason;
  const kind = archive_reason ? archiveReasonText(archive_reason, rank) : null;
  if (!note) return kind ?? text.noReason;
  return archive_reason === "archived_on_request" || kind === null ? text.note(note) : text.reasonWithNote(kind, note);
}
