"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { Time } from "@/components/ui/time";
import type { NoteChange } from "@/lib/insurance/notes/queries";
import { sourceText } from "../policies/change-sources";
import { WordDiff } from "../policies/history/word-diff";
import { type PolicyRef, policiesPath } from "../policies/paths";
import { noteHistory as text } from "./messages/notes";

/** Lists every change to the notes of a policy: who made it, when, from where and why. */
export function NoteHistory({ policy }: { policy: PolicyRef }) {
  const path = `${policiesPath(policy.practice, policy.patient, policy.policy)}/notes`;
  const { data, error } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<{ changes: NoteChange[] }>(path, { signal }),
  });
  if (error && !data) {
    return (
      <p role="alert" className="text-bad mt-4">
        {text.failed} {error.message}
      </p>
    );
  }
  if (!data || data.changes.length === 0) return null;
  return (
    <section aria-label={text.title} className="mt-4">
      <h3 className="mb-2 font-semibold">{text.title}</h3>
      <ol className="border-line bg-raised divide-line divide-y rounded-md border">
        {data.changes.map((change) => (
          <li key={change.id} className="break-inside-avoid px-3 py-2">
            <p>
              <span className="font-medium">{text.kinds[change.kind]}</span>
              <span className="text-soft">
                {" "}
                · {change.by} · {sourceText(change.source)} · <Time value={change.occurred_date} />
              </span>
            </p>
            {change.kind === "edited" ? (
              <p>
                <WordDiff old={change.before ?? ""} now={change.text} show="both" />
              </p>
            ) : (
              <p className={change.kind === "deleted" ? "text-soft wrap-anywhere line-through" : "wrap-anywhere"}>
                {change.text}
              </p>
            )}
            {change.reason && <p className="text-soft text-sm wrap-anywhere">“{change.reason}”</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
