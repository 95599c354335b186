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
      `${name} is ${formatSize(file.size)}, but the limit is ${formatSize(limits.bytes)}. Make it smaller and add it again.`,
    );
  }
  const image = await decode(file).catch(() => {
    throw new PictureError(`${name} is damaged: it can’t be shown. Take or scan it again.`);
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  if (width * height > limits.pixels) {
    release(image);
    const limit = Math.floor(limits.pixels / 1_000_000);
    throw new PictureError(
      `${name} has ${Math.round((width * height) / 1_000_000)} megapixels, but the limit is ${limit}. Make it smaller and add it again.`,
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
