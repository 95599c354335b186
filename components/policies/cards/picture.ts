import { formatSize } from "./card-text";

/** The server's limits for a card image. */
export interface ImageLimits {
  bytes: number;
  pixels: number;
}

/** A picture that the user has chosen and that is a valid card image. */
export interface Picture {
  file: File;
  type: "image/jpeg" | "image/png";
  width: number;
  height: number;
  image: HTMLImageElement;
}

/** A part of a rotated picture, as shares of its width and height. */
export interface CropArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Tells the user why a file can't be a card image. */
export class PictureError extends Error {}

/**
 * Reads a file as a card image. Recognizes its type by its bytes, not by its name.
 *
 * @throws PictureError
 */
export async function readPicture(file: File, limits: ImageLimits): Promise<Picture> {
  const name = file.name || "The picture";
  const type = detectType(new Uint8Array(await file.slice(0, 8).arrayBuffer()));
  if (!type) {
    const kind = file.type && !/jpe?g|png/.test(file.type) ? ` (${file.type})` : "";
    throw new PictureError(`${name} is not a JPEG or PNG picture${kind}. Save it as one of these and add it again.`);
  }
  if (file.size > limits.bytes) {
    throw new PictureError(
      `${name} has ${formatSize(file.size)}, but the limit is ${formatSize(limits.bytes)}. Make it smaller and add it again.`,
    );
  }
  const image = await decode(file).catch(() => {
    throw new PictureError(`${name} is damaged: it can’t be shown. Take or scan it again.`);
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  if (width * height > limits.pixels) {
    release(image);
    const most = Math.floor(limits.pixels / 1_000_000);
    throw new PictureError(
      `${name} has ${Math.round((width * height) / 1_000_000)} megapixels, but the limit is ${most}. Make it smaller and add it again.`,
    );
  }
  return { file, type, width, height, image };
}

function detectType(bytes: Uint8Array): Picture["type"] | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "image/jpeg";
  return [0x89, 0x50, 0x4e, 0x47].every((byte, index) => bytes[index] === byte) ? "image/png" : null;
}

async function decode(file: File): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
  } catch (error) {
    release(image);
    throw error;
  }
  return image;
}

/** Frees the memory of a picture. */
export function releasePicture({ image }: Picture): void {
  release(image);
}

function release(image: HTMLImageElement): void {
  URL.revokeObjectURL(image.src);
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
  if (!context) throw new PictureError("This browser can’t edit pictures. Upload it unchanged.");
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
    throw new PictureError(
      `The edited picture has ${formatSize(blob.size)}, but the limit is ${formatSize(limits.bytes)}.`,
    );
  }
  return blob;
}

/** Encodes a canvas as a JPEG or PNG. */
export function toBlob(canvas: HTMLCanvasElement, type: Picture["type"]): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new PictureError("This browser could not draw the picture."))),
      type,
      0.92,
    );
  });
}
