import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { archiveReasonText } from "@/components/policies/archive-reasons";
import { policyName } from "@/components/policies/fields";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { Effective, policyHref } from "./policy-card";
import type { ShownPolicy } from "./use-patient";

/** Policies that are not in force any more, newest first, each with the reason. */
export function ArchivedPolicies({ practice, policies }: { practice: number; policies: readonly ShownPolicy[] }) {
  return (
    <details className="group border-line bg-raised rounded-md border">
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-1.5 px-3 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        Archived policies <span className="text-soft font-normal">{policies.length}</span>
      </summary>
      <ul className="border-line border-t">
        {policies.map((policy) => (
          <li key={policy.id} className="border-line border-b px-3 py-2 last:border-0">
            <div className="flex flex-wrap items-baseline justify-between gap-x-3">
              <Link
                href={policyHref(practice, policy)}
                className="inline-flex min-h-6 min-w-6 items-center font-medium hover:underline"
              >
                {policyName(policy)}
              </Link>
              {policy.archived_date && (
                <Status kind="archived">
                  Archived <Time value={policy.archived_date} />
                </Status>
              )}
            </div>
            <p className="text-soft">
              {policy.member_id && <span className="font-mono">{policy.member_id} · </span>}
              <Effective start={policy.start_date} end={policy.end_date} />
            </p>
            <p>{reasonOf(policy)}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function reasonOf({ archive_reason, archival }: ShownPolicy): string {
  const by = archival ? `${archival.by}: ` : "";
  const given = archival?.reason ? `“${archival.reason}”` : null;
  const kind = archive_reason ? archiveReasonText(archive_reason) : null;
  if (given && (archive_reason === "archived_on_request" || kind === null)) return by + given;
  return by + [kind ?? "no reason given", given].filter(Boolean).join(", ");
}
