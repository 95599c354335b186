import { offeredPlaces, placeInWords } from "@/components/policies/cards/card-labels";
import { rankWord } from "@/components/policies/fields";
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
  return `${rankWord(rankOf(place))} card, ${placeInWords(sideOf(place)).toLowerCase()}`;
}

/** `front of the primary card` */
export function legacyPlaceInWords(place: number): string {
  return `${placeInWords(sideOf(place)).toLowerCase()} of the ${rankWord(rankOf(place)).toLowerCase()} card`;
}

/** The cards of a patient as somebody saw them when they decided to change one. */
export type SeenCards = ReturnType<typeof seenIn>;
export type SeenCard = SeenCards["images"][number];

export function seenIn({ patient, cards, limits }: PatientPage) {
  return {
    /** Of the patient. */
    version: patient.version,
    limits,
    images: cards.map(({ rank, image_rank: side, sha256, url }) => ({ image_rank: placeOf(rank, side), sha256, url })),
  };
}

export function cardAt({ images }: Pick<SeenCards, "images">, place: number): SeenCard | undefined {
  return images.find(({ image_rank }) => image_rank === place);
}

/** Where pictures go that come without a place, or beside one for `place`: fronts and backs, those of its card first. */
export function legacyPlacesBeside(place: number | null): number[] {
  const first = place === null ? [] : RANKS.filter((rank) => rank === rankOf(place));
  return [...new Set([...first, ...RANKS])].flatMap((rank) => [placeOf(rank, 1), placeOf(rank, 2)]);
}

/** Places that are offered for a picture, card by card. */
export function offeredLegacyPlaces(taken: readonly number[]): number[] {
  return RANKS.flatMap((rank) =>
    offeredPlaces(taken.filter((place) => rankOf(place) === rank).map(sideOf)).map((side) => placeOf(rank, side)),
  );
}
