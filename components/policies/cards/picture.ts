import { formatSize } from "./card-text";

/** What a card image may have at most: the server's limits. */
export interface ImageLimits {
  bytes: number;
  pixels: number;
}

/** A picture that somebody chose, checked and not uploaded yet. */
export interface Picture {
  file: File;
  type: "image/jpeg" | "image/png";
  width: number;
  height: number;
  image: HTMLImageElement;
}

/** A part of a picture, as shares of its turned width and height. */
export interface CropArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Why a file can't be a card image, in words for the one who chose it. */
export class PictureError extends Error {}

/**
 * Reads a file that is to become a card image. Its bytes say what it is, not its name.
 *
 * @throws PictureError
 */
export async function readPicture(file: File, limits: ImageLimits): Promise<Picture> {
  const name = file.name || "The picture";
  const type = typeOf(new Uint8Array(await file.slice(0, 8).arrayBuffer()));
  if (!type) {
    const kind = file.type && !/jpe?g|png/.test(file.type) ? ` (${file.type})` : "";
    throw new PictureError(`${name} is not a JPEG or PNG picture${kind}. Save it as one of these and add it again.`);
  }
  if (file.size > limits.bytes) {
    throw new PictureError(
      `${name} has ${formatSize(file.size)}; a card image may have ${formatSize(limits.bytes)}. Make it smaller and add it again.`,
    );
  }
  const image = await decode(file).catch(() => {
    throw new PictureError(`${name} is damaged: it can’t be shown. Take or scan it again.`);
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  if (width * height > limits.pixels) {
    forget(image);
    const most = Math.floor(limits.pixels / 1_000_000);
    throw new PictureError(
      `${name} has ${Math.round((width * height) / 1_000_000)} megapixels; a card image may have ${most}. Make it smaller and add it again.`,
    );
  }
  return { file, type, width, height, image };
}

function typeOf(bytes: Uint8Array): Picture["type"] | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "image/jpeg";
  return [0x89, 0x50, 0x4e, 0x47].every((byte, at) => bytes[at] === byte) ? "image/png" : null;
}

async function decode(file: File): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
  } catch (error) {
    forget(image);
    throw error;
  }
  return image;
}

/** Lets the memory of a picture go. */
export function releasePicture({ image }: Picture): void {
  forget(image);
}

function forget(image: HTMLImageElement): void {
  URL.revokeObjectURL(image.src);
}

/** Larger canvases stay empty on some phones. */
const CANVAS_PIXELS = 16_000_000;

const WHOLE: CropArea = { x: 0, y: 0, width: 1, height: 1 };

/**
 * A picture turned by quarters and cut to a part, at most so large.
 *
 * @param turns quarters to the right
 */
export function drawPicture(
  picture: Picture,
  { turns, part = WHOLE, maxPixels = CANVAS_PIXELS }: { turns: number; part?: CropArea; maxPixels?: number },
): HTMLCanvasElement {
  const { width, height } = turnedSize(picture, turns);
  const cut = { width: width * part.width, height: height * part.height };
  const scale = Math.min(1, Math.sqrt(maxPixels / (cut.width * cut.height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(cut.width * scale));
  canvas.height = Math.max(1, Math.round(cut.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new PictureError("This browser can’t change pictures. Upload it as it is.");
  context.scale(scale, scale);
  context.translate(width / 2 - width * part.x, height / 2 - height * part.y);
  context.rotate((turns * Math.PI) / 2);
  context.drawImage(picture.image, -picture.width / 2, -picture.height / 2, picture.width, picture.height);
  return canvas;
}

function turnedSize({ width, height }: Picture, turns: number) {
  return turns % 2 === 0 ? { width, height } : { width: height, height: width };
}

/**
 * The bytes to upload: the file itself where nothing was changed, for drawing it anew would cost sharpness.
 *
 * @throws PictureError where they are too many
 */
export async function finishPicture(
  picture: Picture,
  change: { turns: number; part: CropArea | null },
  limits: ImageLimits,
): Promise<Blob> {
  if (change.turns === 0 && change.part === null) return picture.file;
  const canvas = drawPicture(picture, { turns: change.turns, ...(change.part && { part: change.part }) });
  const same = await toBlob(canvas, picture.type);
  const blob = same.size > limits.bytes ? await toBlob(canvas, "image/jpeg") : same;
  if (blob.size > limits.bytes) {
    throw new PictureError(`The picture has ${formatSize(blob.size)} now; ${formatSize(limits.bytes)} is the most.`);
  }
  return blob;
}

/** A canvas as a JPEG or PNG. */
export function toBlob(canvas: HTMLCanvasElement, type: Picture["type"]): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new PictureError("This browser could not draw the picture."))),
      type,
      0.92,
    );
  });
}
