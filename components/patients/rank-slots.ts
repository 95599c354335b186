import { RANK_WORDS } from "@/lib/insurance/fields/limits";

/** The policies in the order the user wants. The first three slots are the ranks and may be empty; the rest have no rank. */
export type Slots = readonly (number | null)[];

interface RankedPolicy {
  id: number;
  rank: number | null;
}

const RANK_COUNT = RANK_WORDS.length;

export function toSlots(policies: readonly RankedPolicy[]): Slots {
  const ranked = RANK_WORDS.map((_, slot) => policies.find(({ rank }) => rank === slot + 1)?.id ?? null);
  return [...ranked, ...policies.filter(({ rank }) => rank === null).map(({ id }) => id)];
}

/** Returns each policy with the rank of its slot. */
export function toRanks(slots: Slots): RankedPolicy[] {
  return slots.flatMap((id, slot) => (id === null ? [] : [{ id, rank: slotRank(slot) }]));
}

export function slotRank(slot: number): number | null {
  return slot < RANK_COUNT ? slot + 1 : null;
}

/** Moves a policy to another slot. If that slot has a policy, the ones between make room. */
export function moveSlot(slots: Slots, from: number, to: number): Slots {
  const moved = [...slots];
  if (slots[to] === null) {
    moved[to] = slots[from] ?? null;
    moved[from] = null;
  } else moved.splice(to, 0, ...moved.splice(from, 1));
  return moved.filter((id, slot) => slot < RANK_COUNT || id !== null);
}
