"use client";

import { useState } from "react";
import type { Policy } from "./fields";
import { type HolderDestination, type HolderOption, holderOptions, policyAtRank } from "./rank-holder";
import { useToday } from "./term";

/** The policy that holds the selected rank, and what the user wants to happen to it. */
export interface RankChoice {
  holder: Policy;
  options: readonly HolderOption[];
  chosen: HolderOption;
  choose: (to: HolderDestination) => void;
}

/**
 * Lets the user choose what happens to the policy that holds a rank. The first option is preselected.
 *
 * @param taking the rank that is taken, and the one that the other policy leaves
 * @param replaced the policy that is preselected to be archived
 * @returns null if no policy holds the rank
 */
export function useRankChoice(
  taking: { rank: number | null; from: number | null },
  others: readonly Policy[],
  replaced?: number,
): RankChoice | null {
  const [choice, setChoice] = useState<{ key: string; to: HolderDestination } | null>(null);
  const today = useToday();
  const { rank, from } = taking;
  const holder = policyAtRank(others, rank);
  if (rank === null || !holder) return null;
  const options = holderOptions({ rank, from }, others, today);
  // A choice is valid for this policy at this rank only.
  const key = `${holder.id} ${rank}`;
  const preferred = choice?.key === key ? choice.to : holder.id === replaced ? "archived" : undefined;
  const chosen = options.find(({ to }) => to === preferred) ?? options[0];
  return { holder, options, chosen, choose: (to) => setChoice({ key, to }) };
}
