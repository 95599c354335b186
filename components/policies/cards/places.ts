/** The places of card images: 1 is the front, 2 the back. */
export const PLACES = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

export function placeName(place: number): string {
  return place === 1 ? "Front" : place === 2 ? "Back" : `Additional ${place - 2}`;
}

/** Returns the places to offer: front, back, those in use and the one after each of them. */
export function offeredPlaces(taken: readonly number[]): number[] {
  return PLACES.filter((place) => place <= 2 || taken.includes(place) || taken.includes(place - 1));
}
