import type { RankHolder, RankTaking } from "@/lib/insurance/policies/schema";
import { type Policy, policyName, rankLabel } from "./fields";

/** Who holds a rank, of the active policies given; nobody holds none. */
export function policyAtRank(policies: readonly Policy[], rank: number | null): Policy | undefined {
  return rank === null ? undefined : policies.find((policy) => policy.rank === rank);
}

/** Who was seen at the rank that a write takes: the server takes it from nobody else. */
export function expectedHolder(policies: readonly Policy[], rank: number | null): { rank_holder?: RankHolder } {
  if (rank === null) return {};
  const holder = policyAtRank(policies, rank);
  return { rank_holder: holder ? { id: holder.id, version: holder.version } : null };
}

/** Where the policy that holds a rank goes when another one takes it. */
export type HolderDestination = NonNullable<RankTaking["to"]>;

export interface HolderOption {
  kind: "swap" | "move" | "archive";
  to: HolderDestination;
}

/**
 * What can become of the policy that holds a rank, the gentlest first.
 *
 * @param taking.rank the rank that is taken
 * @param taking.from the rank that the other policy leaves; null where it has none, or is new
 * @param others the patient's other active policies
 */
export function holderOptions(
  { rank, from }: { rank: number; from: number | null },
  others: readonly Policy[],
): HolderOption[] {
  const free = [1, 2, 3].filter((each) => each !== rank && each !== from && !policyAtRank(others, each));
  const next = free.find((each) => each > rank) ?? free[0];
  return [
    ...(from !== null && from !== rank ? [{ kind: "swap", to: from } as HolderOption] : []),
    ...(next !== undefined ? [{ kind: "move", to: next } as HolderOption] : []),
    { kind: "archive", to: "archived" },
  ];
}

/** Where the policy that holds a rank goes unless somebody chooses otherwise; undefined where nobody holds it. */
export function defaultDestination(
  { rank, from }: { rank: number | null; from: number | null },
  others: readonly Policy[],
): HolderDestination | undefined {
  return rank !== null && policyAtRank(others, rank) ? holderOptions({ rank, from }, others)[0]?.to : undefined;
}

/** What an act does with the policy that holds the rank, to go behind its verb: `and swap with Acme Health`. */
export function describeOption({ kind, to }: HolderOption, holder: Policy): string {
  const name = policyName(holder);
  if (kind === "swap") return `and swap with ${name}`;
  return kind === "move" ? `and move ${name} to ${rankLabel(to as number).toLowerCase()}` : `and archive ${name}`;
}

/** The server's words for a rank that is not held as it was seen, and for one that another policy has taken. */
export const HOLDER_CHANGED = "rank_holder_changed";
export const RANK_TAKEN = "rank_taken";
