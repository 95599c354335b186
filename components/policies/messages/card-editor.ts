// The dialog that rotates, crops and uploads a card image.

/** `side` is a label such as "Front". `button` is the label of the button that uploads. */
export const cardEditor = {
  addTitle: (side: string) => `Add card image: ${side}`,
  replaceTitle: (side: string) => `Replace card image: ${side}`,
  description: (button: string) =>
    `Rotate it upright and crop it to the card. It is not uploaded until you click ${button}.`,
  /** The image is for a policy that is not added yet. */
  newPolicyDescription: "Rotate it upright and crop it to the card. It is uploaded when you add the policy.",
  upload: "Upload image",
  replace: "Replace image",
  use: "Use image",
  retry: "Try again",
  stop: "Stop upload",
  cancel: "Cancel",
  failed: "Image not uploaded",
  side: "Side",
  sideTaken: (side: string) => `${side} (replaces the image)`,
  rotateLeft: "Rotate left",
  rotateLeftKey: "Rotate left ([)",
  rotateRight: "Rotate right",
  rotateRightKey: "Rotate right (])",
  crop: "Crop",
  noCrop: "No crop",
  otherPages: (pages: number) => `Page 1 of ${pages}. The other pages of the PDF are not used.`,
  help: "Drag over the image to crop it.",
  /** Follows `help`, except on a touch screen. */
  keyboardHelp: "Or press Crop and move the handles with the arrow keys. [ and ] rotate the image.",
};

/** The image in the editor. */
export const cropper = {
  alt: (file: string) => `${file}, to be uploaded`,
  unnamedAlt: "The image, to be uploaded",
  preparing: "Preparing the image…",
};

/** Parts of the crop, for screen readers. */
export const cropLabels = {
  cropArea: "Crop area, move with the arrow keys",
  nwDragHandle: "Top left corner",
  nDragHandle: "Top edge",
  neDragHandle: "Top right corner",
  eDragHandle: "Right edge",
  seDragHandle: "Bottom right corner",
  sDragHandle: "Bottom edge",
  swDragHandle: "Bottom left corner",
  wDragHandle: "Left edge",
};
