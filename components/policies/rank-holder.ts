import type { RankHolder, RankTakeover } from "@/lib/insurance/policies/schema";
import { type Policy, policyName, rankPhrase } from "./fields";
import { takeRank } from "./messages/ranks";
import { hasEnded } from "./term";

/** Returns the policy that holds a rank. */
export function policyAtRank(policies: readonly Policy[], rank: number | null): Policy | undefined {
  return rank === null ? undefined : policies.find((policy) => policy.rank === rank);
}

/** Returns the part of a write that says which policy the user saw at the rank. The server rejects any other holder. */
export function expectedHolder(policies: readonly Policy[], rank: number | null): { rank_holder?: RankHolder } {
  if (rank === null) return {};
  const holder = policyAtRank(policies, rank);
  return { rank_holder: holder ? { id: holder.id, version: holder.version } : null };
}

/** What happens to the policy that holds a rank when another policy takes it: a new rank, or archived. */
export type HolderDestination = NonNullable<RankTakeover["to"]>;

export type HolderOption =
  | { kind: "swap" | "move"; to: Exclude<HolderDestination, "archived"> }
  | { kind: "archive"; to: "archived" };

const RANKS = [1, 2, 3] as const;

interface RankChange {
  /** The rank that is taken. */
  rank: number;
  /** The rank that the other policy leaves; null if it has none or is new. */
  from: number | null;
}

/**
 * Returns what can happen to the policy that holds a rank, the least intrusive option first. If its coverage has ended, archiving it
 * comes first: it must not stay in the billing order.
 *
 * @param others the patient's other active policies
 */
export function holderOptions(
  { rank, from }: RankChange,
  others: readonly Policy[],
  today: string,
): [HolderOption, ...HolderOption[]] {
  const left = RANKS.find((other) => other === from && other !== rank);
  const free = RANKS.filter((other) => other !== rank && other !== from && !policyAtRank(others, other));
  const next = free.find((other) => other > rank) ?? free[0];
  const archive: HolderOption = { kind: "archive", to: "archived" };
  const kept: HolderOption[] = [];
  if (left !== undefined) kept.push({ kind: "swap", to: left });
  if (next !== undefined) kept.push({ kind: "move", to: next });
  const holder = policyAtRank(others, rank);
  const [first, ...rest] = kept;
  return first === undefined || (holder && hasEnded(holder, today)) ? [archive, ...kept] : [first, ...rest, archive];
}

/** Returns what happens to the policy that holds a rank unless the user chooses otherwise; undefined if none holds it. */
export function defaultDestination(
  { rank, from }: { rank: number | null; from: number | null },
  others: readonly Policy[],
  today: string,
): HolderDestination | undefined {
  return rank !== null && policyAtRank(others, rank) ? holderOptions({ rank, from }, others, today)[0].to : undefined;
}

/** Returns the label of a button that takes a rank: `Save and swap with Acme Health`. */
export function takeRankLabel(verb: keyof typeof takeRank, option: HolderOption, holder: Policy): string {
  const name = policyName(holder);
  const text = takeRank[verb];
  if (option.kind === "archive") return text.archive(name);
  return option.kind === "swap" ? text.swap(name) : text.move(name, rankPhrase(option.to));
}

/** Error codes for a rank that another policy holds than the user saw. */
export const HOLDER_CHANGED = "rank_holder_changed";
export const RANK_TAKEN = "rank_taken";
