import { offeredPlaces, placeName, placePhrase } from "@/components/policies/cards/places";
import { rankLabel, rankPhrase } from "@/components/policies/fields";
import { legacyCardNames as text } from "./messages/legacy-cards";

// Legacy cards are placed by priority and side. The shared card components know places by one number, so both are encoded in it:
// 12 is the back of the primary card.
export const toPlace = (rank: number, side: number): number => rank * 10 + side;
export const placeRank = (place: number): number => Math.floor(place / 10);
export const placeSide = (place: number): number => place % 10;

export const RANKS = [1, 2, 3] as const;

/** Returns a label: `Primary card, front`. */
export function legacyPlaceLabel(place: number): string {
  return text.label(rankLabel(placeRank(place)), placePhrase(placeSide(place)));
}

/** Returns a name for the start of a sentence: `Front of the primary card`. */
export function legacyPlaceName(place: number): string {
  return text.name(placeName(placeSide(place)), rankPhrase(placeRank(place)));
}

/** Returns a name for the middle of a sentence: `front of the primary card`. */
export function legacyPlacePhrase(place: number): string {
  return text.name(placePhrase(placeSide(place)), rankPhrase(placeRank(place)));
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
