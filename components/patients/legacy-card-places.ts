import { offeredPlaces, placeName } from "@/components/policies/cards/card-text";
import { rankLabel } from "@/components/policies/fields";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";

/**
 * Cards by priority have places of two numbers, priority and side. The parts of the page that know one number alone get
 * both in it: 12 is the back of the primary card.
 */
export const placeOf = (rank: number, side: number): number => rank * 10 + side;
export const rankOf = (place: number): number => Math.floor(place / 10);
export const sideOf = (place: number): number => place % 10;

export const RANKS = [1, 2, 3] as const;

/** `Primary card, front` */
export function legacyPlaceName(place: number): string {
  return `${rankLabel(rankOf(place))} card, ${placeName(sideOf(place)).toLowerCase()}`;
}

/** `front of the primary card` */
export function legacyPlacePhrase(place: number): string {
  return `${placeName(sideOf(place)).toLowerCase()} of the ${rankLabel(rankOf(place)).toLowerCase()} card`;
}

/** The cards of a patient as somebody saw them when they decided to change one. */
export type CardSet = ReturnType<typeof toCardSet>;
export type SeenCard = CardSet["images"][number];

export function toCardSet({ patient, cards, limits }: PatientPage) {
  return {
    /** Of the patient. */
    version: patient.version,
    limits,
    images: cards.map(({ rank, image_rank: side, sha256, url }) => ({ image_rank: placeOf(rank, side), sha256, url })),
  };
}

export function cardAt({ images }: Pick<CardSet, "images">, place: number): SeenCard | undefined {
  return images.find(({ image_rank }) => image_rank === place);
}

/** Where pictures go that come without a place, or beside one for `place`: fronts and backs, those of its card first. */
export function legacyPlacesNear(place: number | null): number[] {
  const first = place === null ? [] : RANKS.filter((rank) => rank === rankOf(place));
  return [...new Set([...first, ...RANKS])].flatMap((rank) => [placeOf(rank, 1), placeOf(rank, 2)]);
}

/** Places that are offered for a picture, card by card. */
export function offeredLegacyPlaces(taken: readonly number[]): number[] {
  return RANKS.flatMap((rank) =>
    offeredPlaces(taken.filter((place) => rankOf(place) === rank).map(sideOf)).map((side) => placeOf(rank, side)),
  );
}
