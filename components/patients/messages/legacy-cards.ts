// The card images of a patient, in a practice without Insurance Versioning.

/** Names a side of a card. `rank` is "Primary" or "primary", `side` is "Front" or "front". */
export const legacyCardNames = {
  card: (rank: string) => `${rank} card`,
  /** An option. */
  label: (rank: string, side: string) => `${rank} card, ${side}`,
  /** At the start of a sentence: "Front of the primary card". In the middle: "front of the primary card". */
  name: (side: string, rank: string) => `${side} of the ${rank} card`,
};

/** One side of a card. `image` is "front of the primary card". */
export const legacyCardSide = {
  view: (image: string) => `View ${image}`,
  none: "No image",
  replace: "Replace",
  replaceImage: (image: string) => `Replace ${image}`,
  upload: "Upload",
  uploadImage: (image: string) => `Upload ${image}`,
  deleteImage: (image: string) => `Delete ${image}`,
};

export const legacyCards = {
  help: "JPEG, PNG or PDF. Drop a file on a side of a card, or paste it anywhere on the page.",
  takePhoto: "Take photo",
};

/** The dialog before an image is deleted that can't be restored from the page. */
export const legacyCardDeletion = {
  title: (image: string) => `Delete the ${image}?`,
  description:
    "The image can't be loaded at the moment, so you can't undo this from this page. It stays in the history.",
  keep: "Keep image",
  delete: "Delete image",
};

/** Why a card image was not changed. */
export const legacyCardErrors = {
  versioningOn:
    "Insurance Versioning was turned on for this practice. Nothing was saved. Change card images on the policy.",
  deadlinePassed: "The practice's deadline for legacy insurance has passed. Card images can no longer be changed here.",
  changed: "Someone else is changing this patient. Nothing was saved. Try again.",
};
