import type { Rank } from "@/lib/insurance/fields/ranks";
import { RANKS } from "@/lib/insurance/fields/ranks";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";

type Sides = ReadonlySet<number>;

/**
 * Returns the card sides of each rank after the insurances have moved and before images are added, as the ledger of
 * the legacy records does it (`moveCardsWithInsurances`).
 */
export function cardsAfter(
  { insurances, cards }: { insurances: readonly InsuranceRow[]; cards: ReadonlySet<string> },
  after: ReadonlyMap<Rank, InsuranceRow | "new">,
): Map<Rank, Sides> {
  const before = insurances.filter(({ deleted_date }) => deleted_date === null);
  const staying = new Set([...after.values()].flatMap((row) => (row === "new" ? [] : [row.id])));
  const sidesAt = (rank: Rank): Sides => {
    const places = [...cards].map((place) => place.split(" ").map(Number));
    return new Set(places.flatMap(([at, side]) => (at === rank && side !== undefined ? [side] : [])));
  };
  const shown = (rank: Rank): Sides => {
    const holder = after.get(rank);
    const previous = before.find((row) => row.rank === rank);
    const held = holder !== undefined && holder !== "new" ? before.find(({ id }) => id === holder.id) : undefined;
    const own = held && sidesAt(held.rank);
    if (own && (own.size > 0 || previous)) return own;
    if (holder === undefined) return previous ? new Set() : sidesAt(rank);
    return !held && previous && staying.has(previous.id) ? new Set() : sidesAt(rank);
  };
  return new Map(RANKS.map((rank) => [rank, shown(rank)]));
}
