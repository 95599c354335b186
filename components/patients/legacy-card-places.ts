import { offeredPlaces, placeName } from "@/components/policies/cards/places";
import { rankLabel } from "@/components/policies/fields";

// Legacy cards are placed by priority and side. The shared card components know places by one number, so both are encoded in it:
// 12 is the back of the primary card.
export const toPlace = (rank: number, side: number): number => rank * 10 + side;
export const placeRank = (place: number): number => Math.floor(place / 10);
export const placeSide = (place: number): number => place % 10;

export const RANKS = [1, 2, 3] as const;

/** Returns a label: `Primary card, front`. */
export function legacyPlaceLabel(place: number): string {
  return `${rankLabel(placeRank(place))} card, ${placeName(placeSide(place)).toLowerCase()}`;
}

/** Returns a name for the start of a sentence: `Front of the primary card`. */
export function legacyPlaceName(place: number): string {
  return `${placeName(placeSide(place))} of the ${rankLabel(placeRank(place)).toLowerCase()} card`;
}

/** Returns a name for the middle of a sentence: `front of the primary card`. */
export function legacyPlacePhrase(place: number): string {
  const name = legacyPlaceName(place);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Returns fronts and backs in the order they are filled, beginning with the card that `place` belongs to. */
export function legacyPlacesNear(place: number | null): number[] {
  const first = RANKS.filter((rank) => place !== null && rank === placeRank(place));
  return [...new Set([...first, ...RANKS])].flatMap((rank) => [toPlace(rank, 1), toPlace(rank, 2)]);
}

/** Returns the places to offer for a picture, card by card. */
export function offeredLegacyPlaces(taken: readonly number[]): number[] {
  return RANKS.flatMap((rank) => {
    const takenSides = taken.filter((place) => placeRank(place) === rank).map(placeSide);
    return offeredPlaces(takenSides).map((side) => toPlace(rank, side));
  });
}
