import { cardSides } from "../messages/card-sides";

/** The places of card images: 1 is the front, 2 the back. */
export const PLACES = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Returns a label for a place: `Front`. */
export function placeName(place: number): string {
  if (place > 2) return cardSides.additional.label(place - 2);
  return place === 1 ? cardSides.front.label : cardSides.back.label;
}

/** Returns a name for the middle of a sentence: `front`. */
export function placePhrase(place: number): string {
  if (place > 2) return cardSides.additional.phrase(place - 2);
  return place === 1 ? cardSides.front.phrase : cardSides.back.phrase;
}

/** Returns the places to offer: front, back, those in use and the one after each of them. */
export function offeredPlaces(taken: readonly number[]): number[] {
  return PLACES.filter((place) => place <= 2 || taken.includes(place) || taken.includes(place - 1));
}
