// A card image and its side, wherever an image is shown.

/** Sides of a card. Use `label` by itself, and `phrase` within a sentence. */
export const cardSides = {
  front: { label: "Front", phrase: "front" },
  back: { label: "Back", phrase: "back" },
  /** A further image. */
  additional: { label: (number: number) => `Additional ${number}`, phrase: (number: number) => `additional ${number}` },
};

/** `side` is a phrase such as "front". */
export const cardPicture = {
  /** For screen readers. */
  alt: (side: string) => `Insurance card, ${side}`,
  notShown: "This image can't be shown",
  enlarge: (side: string) => `Enlarge ${side}`,
  /** `size` is "240 KB". */
  facts: (width: number, height: number, type: string, size: string) => `${width} × ${height} px, ${type}, ${size}`,
};

/** The versions that showed an image. */
export const versionRanges = {
  one: (version: number) => `version ${version}`,
  several: (from: number, to: number) => `versions ${from} to ${to}`,
};
