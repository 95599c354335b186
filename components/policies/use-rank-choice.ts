"use client";

import { useState } from "react";
import type { Policy } from "./fields";
import { type HolderDestination, type HolderOption, holderOptions, policyAtRank } from "./rank-holder";

/** A rank that is taken from another policy, and what was chosen to become of that one. */
export interface RankChoice {
  holder: Policy;
  options: readonly HolderOption[];
  chosen: HolderOption;
  choose: (to: HolderDestination) => void;
}

/**
 * What becomes of the policy that holds a rank: the gentlest option, until another one is chosen.
 *
 * @returns null where nobody holds the rank
 */
export function useRankChoice(
  taking: { rank: number | null; from: number | null },
  others: readonly Policy[],
): RankChoice | null {
  const [choice, setChoice] = useState<{ at: string; to: HolderDestination } | null>(null);
  const { rank, from } = taking;
  const holder = policyAtRank(others, rank);
  if (rank === null || !holder) return null;
  const options = holderOptions({ rank, from }, others);
  // A choice is about this policy at this rank, and about no other.
  const at = `${holder.id} ${rank}`;
  const chosen = options.find(({ to }) => choice?.at === at && to === choice.to) ?? (options[0] as HolderOption);
  return { holder, options, chosen, choose: (to) => setChoice({ at, to }) };
}
