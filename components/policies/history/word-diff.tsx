"use client";

import { diffWordsWithSpace } from "diff";
import { ADDED, REMOVED } from "./change-classes";

/** A text with the words that came and went: both, or one side of it. */
export function WordDiff({ old, now, show }: { old: string; now: string; show: "both" | "old" | "new" }) {
  const parts = diffWordsWithSpace(old, now).filter(
    ({ added, removed }) => show === "both" || !(show === "old" ? added : removed),
  );
  return (
    <span className="wrap-anywhere whitespace-pre-wrap">
      {parts.map(({ value, added, removed }, at) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name than their place.
        if (!added && !removed) return <span key={at}>{value}</span>;
        const Part = added ? "ins" : "del";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Part key={at} className={`rounded-sm px-0.5 ${added ? ADDED : REMOVED}`}>
            <span className="sr-only">{added ? " added: " : " removed: "}</span>
            <span aria-hidden className="inline-block">
              {added ? "+" : "−"}
            </span>
            {value}
          </Part>
        );
      })}
    </span>
  );
}
