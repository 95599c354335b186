// Card images of a policy: the sides of the card, adding and removing images, and what can go wrong.
import { pluralize } from "@/components/ui/format";

/** The section with the card images. */
export const cardImages = {
  title: "Card images",
  addImage: "Add image",
  takePhoto: "Take photo",
  loadFailed: "Couldn't load the card images",
  retry: "Try again",
  /** What is lost on leaving, before "will be lost." */
  unsaved: "The image you haven't uploaded",
};

/** One side of a card. `side` is a phrase such as "front". */
export const cardSlot = {
  label: (side: string) => `Card ${side}`,
  add: (side: string) => `Add ${side}`,
  addHelp: "Choose, drop or paste an image or PDF",
  none: "No image",
  replace: "Replace",
  replaceSide: (side: string) => `Replace ${side}`,
  delete: "Delete",
  deleteSide: (side: string) => `Delete ${side}`,
};

/** Images of earlier versions. */
export const earlierImages = {
  title: (count: number) => `Earlier images (${count})`,
  /** `versions` is "versions 2 to 4". */
  enlarge: (side: string, versions: string) => `Enlarge ${side} of ${versions}`,
  restore: "Restore",
  restoreSide: (side: string, versions: string) => `Restore ${side} of ${versions}`,
};

/** Files that were rejected, and an image whose editor was closed before it was uploaded. */
export const draftNotices = {
  rejected: (count: number) => (count === 1 ? "Image not added" : "Some images were not added"),
  notUploaded: (file: string) => `${file} is not uploaded yet`,
  unnamedNotUploaded: "An image is not uploaded yet",
  continue: "Continue",
  discard: "Discard image",
};

/** Hidden inputs, for screen readers. */
export const fileInput = { camera: "Take a photo of a card", file: "Card image file" };

/** The card of a policy that is not added yet. */
export const newCardImages = {
  title: "Card images",
  help: "Optional. Uploaded when you add the policy.",
  opening: "Opening the file… Add the policy once the image is ready.",
  unfinishedHint: "Continue or discard it before you add the policy.",
};

/** The upload of the card after its policy was added. `side` is a phrase such as "front". */
export const newCardUpload = {
  failed: (side: string) => `The policy is saved, but the ${side} of the card is not`,
  kept: (reason: string) => `${reason} Your image is kept here.`,
  retry: "Try again",
  skip: "Skip this image",
  /** What is lost on leaving, before "will be lost." */
  unsaved: "The card images that aren't uploaded",
};

export const uploadProgress = {
  uploading: "Uploading the image…",
  checking: "Checking the image…",
};

/** Toasts. `image` is "Front" or "Front of the primary card". */
export const cardActions = {
  added: (image: string) => `${image} added`,
  replaced: (image: string) => `${image} replaced`,
  deleted: (image: string) => `${image} deleted`,
  restored: (image: string) => `${image} restored`,
  notDeleted: (image: string, reason: string) => `${image} was not deleted. ${reason}`,
  notRestored: (image: string, reason: string) => `${image} was not restored. ${reason}`,
  undone: (image: string) => `${image}: change undone`,
  notUndone: (image: string, reason: string) => `${image}: change not undone. ${reason}`,
  /** The response was lost. */
  uncertain: (image: string, reason: string) => `${image}: ${reason}`,
};

/** Why an upload failed. */
export const uploadErrors = {
  changed: "Someone else changed this card image.",
  /** In the editor, which keeps the image. */
  changedInEditor:
    "The image on this side has changed: someone else replaced it, or your upload finished after the connection was lost. Your image is kept here. Check the page behind this dialog, then try again to replace it.",
  connectionLost: "Connection lost. Your image is kept here. Try again when you are back online.",
  stopped: "The upload was stopped.",
  tooLarge: "The image is too large for the server. Crop it or make it smaller.",
  failed: (status: number) => `The server returned an error (${status}). Try again.`,
};

/** Why a file can't be a card image. `file` is its name. */
export const fileErrors = {
  unnamed: "The image",
  type: (file: string) => `${file} is not a JPEG, PNG or PDF file. Save it as one of these and add it again.`,
  /** `type` is a media type such as "image/heic". */
  knownType: (file: string, type: string) =>
    `${file} is not a JPEG, PNG or PDF file (${type}). Save it as one of these and add it again.`,
  /** Sizes such as "12 MB". */
  size: (file: string, size: string, limit: string) =>
    `${file} is ${size}, but the limit is ${limit}. Make it smaller and add it again.`,
  editedSize: (size: string, limit: string) =>
    `The edited image is ${size}, but the limit is ${limit}. Crop it more and try again.`,
  pixels: (file: string, megapixels: number, limit: number) =>
    `${file} has ${pluralize(megapixels, "megapixel")}, but the limit is ${limit}. Make it smaller and add it again.`,
  damaged: (file: string) => `${file} is damaged and can't be shown. Take or scan it again.`,
  pdfViewerFailed: "Couldn't load the PDF viewer. Check the connection and add the file again.",
  pdf: (file: string) => `${file} can't be shown: it is damaged or needs a password. Save it as an image.`,
  cannotEdit: "This browser can't edit images. Upload the image unchanged.",
  cannotEncode: "This browser couldn't process the image. Try another browser.",
};
