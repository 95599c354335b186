import { fileErrors } from "../messages/cards";
import { formatSize } from "./card-text";
import { toBlob } from "./encode-canvas";
import { type ImageLimits, type Picture, PictureError } from "./picture";

/** A part of a rotated picture, as fractions of its width and height. */
export interface CropArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Some phones leave larger canvases empty. */
const CANVAS_PIXELS = 16_000_000;

const WHOLE: CropArea = { x: 0, y: 0, width: 1, height: 1 };

interface DrawOptions {
  /** Quarter turns to the right. */
  turns: number;
  area?: CropArea | undefined;
  maxPixels?: number;
}

/** Draws a picture, rotated, cropped and scaled down to a number of pixels. */
export function drawPicture(
  picture: Picture,
  { turns, area = WHOLE, maxPixels = CANVAS_PIXELS }: DrawOptions,
): HTMLCanvasElement {
  const { width, height } = rotatedSize(picture, turns);
  const cut = { width: width * area.width, height: height * area.height };
  const scale = Math.min(1, Math.sqrt(maxPixels / (cut.width * cut.height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(cut.width * scale));
  canvas.height = Math.max(1, Math.round(cut.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new PictureError(fileErrors.cannotEdit);
  context.scale(scale, scale);
  context.translate(width / 2 - width * area.x, height / 2 - height * area.y);
  context.rotate((turns * Math.PI) / 2);
  context.drawImage(picture.image, -picture.width / 2, -picture.height / 2, picture.width, picture.height);
  return canvas;
}

function rotatedSize({ width, height }: Picture, turns: number) {
  return turns % 2 === 0 ? { width, height } : { width: height, height: width };
}

/**
 * Returns the bytes to upload. An unedited picture is the file itself, because drawing it again would lose quality.
 *
 * @throws PictureError if the edited picture is too large
 */
export async function finishPicture(
  picture: Picture,
  edits: { turns: number; area: CropArea | null },
  limits: ImageLimits,
): Promise<Blob> {
  if (edits.turns === 0 && edits.area === null) return picture.file;
  const canvas = drawPicture(picture, { turns: edits.turns, area: edits.area ?? undefined });
  const same = await toBlob(canvas, picture.type);
  const blob = same.size > limits.bytes ? await toBlob(canvas, "image/jpeg") : same;
  if (blob.size > limits.bytes) {
    throw new PictureError(fileErrors.editedSize(formatSize(blob.size), formatSize(limits.bytes)));
  }
  return blob;
}
