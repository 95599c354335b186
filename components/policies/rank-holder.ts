import type { RankHolder } from "@/lib/policies/schema";
import type { Policy } from "./fields";

/** Who holds a rank, of the active policies given; nobody holds none. */
export function holderAt(policies: readonly Policy[], rank: number | null): Policy | undefined {
  return rank === null ? undefined : policies.find((policy) => policy.rank === rank);
}

/** Who was seen at the rank that a write takes: the server takes it from nobody else. */
export function seenAt(policies: readonly Policy[], rank: number | null): { rank_holder?: RankHolder } {
  if (rank === null) return {};
  const holder = holderAt(policies, rank);
  return { rank_holder: holder ? { id: holder.id, version: holder.version } : null };
}

/** The server's word for a rank that is not held as it was seen. */
export const HOLDER_CHANGED = "rank_holder_changed";
