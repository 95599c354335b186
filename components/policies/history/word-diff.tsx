"use client";

import { diffWordsWithSpace } from "diff";
import { wordDifference as text } from "../messages/history";
import { ADDED, REMOVED } from "./change-classes";

/** Shows a string with its added and removed words highlighted. `show` limits it to the old or the new words. */
export function WordDiff({ old, now, show }: { old: string; now: string; show: "both" | "old" | "new" }) {
  const parts = diffWordsWithSpace(old, now).filter(
    ({ added, removed }) => show === "both" || !(show === "old" ? added : removed),
  );
  return (
    <span className="wrap-anywhere whitespace-pre-wrap">
      {parts.map(({ value, added, removed }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a string have no identity other than their position.
        if (!added && !removed) return <span key={index}>{value}</span>;
        const Element = added ? "ins" : "del";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Element key={index} className={`rounded-sm px-0.5 ${added ? ADDED : REMOVED}`}>
            <span className="sr-only"> {added ? text.added : text.removed} </span>
            <span aria-hidden className="inline-block">
              {added ? "+" : "−"}
            </span>
            {value}
          </Element>
        );
      })}
    </span>
  );
}
