import { fileErrors as text } from "../messages/cards";
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
  /** How many pages the PDF has whose first page this is; 1 for a picture. */
  pages: number;
}

/** Tells the user why a file can't be a card image. */
export class PictureError extends Error {}

/**
 * Reads a file as a card image: a picture, or the first page of a PDF. Recognizes its type by its bytes, not by its name.
 *
 * @throws PictureError
 */
export async function readPicture(file: File, limits: ImageLimits): Promise<Picture> {
  const name = file.name || text.unnamed;
  const type = detectType(new Uint8Array(await file.slice(0, 8).arrayBuffer()));
  if (!type) {
    const isOther = file.type && !/jpe?g|png|pdf/.test(file.type);
    throw new PictureError(isOther ? text.knownType(name, file.type) : text.type(name));
  }
  if (file.size > limits.bytes) {
    throw new PictureError(text.size(name, formatSize(file.size), formatSize(limits.bytes)));
  }
  if (type === "application/pdf") {
    const { drawFirstPage } = await import("./pdf-page").catch(() => {
      throw new PictureError(text.pdfViewerFailed);
    });
    const { picture, pages } = await drawFirstPage(file).catch(() => {
      throw new PictureError(text.pdf(name));
    });
    return { ...(await readPicture(picture, limits)), pages };
  }
  const image = await decode(file).catch(() => {
    throw new PictureError(text.damaged(name));
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  if (width * height > limits.pixels) {
    release(image);
    const limit = Math.floor(limits.pixels / 1_000_000);
    throw new PictureError(text.pixels(name, Math.round((width * height) / 1_000_000), limit));
  }
  return { file, type, width, height, image, pages: 1 };
}

function detectType(bytes: Uint8Array): Picture["type"] | "application/pdf" | null {
  const startsWith = (...start: number[]) => start.every((byte, index) => bytes[index] === byte);
  if (startsWith(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (startsWith(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  return startsWith(0x25, 0x50, 0x44, 0x46) ? "application/pdf" : null;
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
