"use client";

import { Input } from "@/components/ui/controls";
import { type Policy, policyName, rankLabel, rankPhrase } from "./fields";
import { restoreRank as text } from "./messages/rank-choice";
import { policyAtRank } from "./rank-holder";

/** A rank; null for none. */
export type RankOption = number | null;

interface RestoreRankPickerProps {
  /** The rank that the policy had. */
  previousRank: number | null;
  others: readonly Policy[];
  value: RankOption | undefined;
  onChange: (rank: RankOption) => void;
}

/** Selects the rank of a restored policy. */
export function RestoreRankPicker({ previousRank, others, value, onChange }: RestoreRankPickerProps) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">{text.title(rankPhrase(previousRank))}</legend>
      {[1, 2, 3, null].map((rank) => {
        const holder = policyAtRank(others, rank);
        return (
          <label key={rank} className="hover:bg-sunken flex min-h-8 items-start gap-2 rounded-md px-1 py-1.5">
            <Input
              type="radio"
              name="rank"
              checked={value === rank}
              onChange={() => onChange(rank)}
              className="accent-accent mt-0.5 size-4"
            />
            <span>
              {rank === null ? text.none : rankLabel(rank)}
              {rank !== null && (
                <span className="text-soft"> {holder ? text.taken(policyName(holder)) : text.free}</span>
              )}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
