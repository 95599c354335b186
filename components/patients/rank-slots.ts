import { RANK_WORDS } from "@/lib/insurance/fields/ranks";

/**
 * Policies in the order they are being brought to: the first three places are the ranks and may be empty, those after
 * have no rank.
 */
export type Slots = readonly (number | null)[];

interface Ranked {
  id: number;
  rank: number | null;
}

const COUNT = RANK_WORDS.length;

export function toSlots(policies: readonly Ranked[]): Slots {
  const ranked = RANK_WORDS.map((_, at) => policies.find(({ rank }) => rank === at + 1)?.id ?? null);
  return [...ranked, ...policies.filter(({ rank }) => rank === null).map(({ id }) => id)];
}

/** Each policy with the rank of its place. */
export function toRanks(slots: Slots): Ranked[] {
  return slots.flatMap((id, at) => (id === null ? [] : [{ id, rank: rankOfSlot(at) }]));
}

export function rankOfSlot(at: number): number | null {
  return at < COUNT ? at + 1 : null;
}

/** Moves a policy: to an empty place it goes alone, otherwise those between make room. */
export function moveSlot(slots: Slots, from: number, to: number): Slots {
  const moved = [...slots];
  if (slots[to] === null) [moved[from], moved[to]] = [null, slots[from] ?? null];
  else moved.splice(to, 0, ...moved.splice(from, 1));
  return moved.filter((id, at) => at < COUNT || id !== null);
}
