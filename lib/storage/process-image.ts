import { randomUUID } from "node:crypto";
import sharp from "sharp";
import { config } from "@/lib/config";
import { DomainError, OverloadedError, ValidationError } from "@/lib/errors";
import type { CardImage } from "@/lib/insurance/card-image";
import { log } from "@/lib/log";
import { imageStore } from "./image-store";
import { hashOf } from "./read-image";

// A cache of decoded images helps nobody here: each is decoded once.
sharp.cache(false);

const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const MAX_PIXELS = 40_000_000;

/** What the fields of a form around an image take at most. */
const FORM_BYTES = 4_096;

/** What a card image may have at most, so that a page can say so before it uploads one. */
export function imageLimits(): { bytes: number; pixels: number } {
  return { bytes: Math.min(MAX_IMAGE_BYTES, config().MAX_BODY_BYTES - FORM_BYTES), pixels: MAX_PIXELS };
}

/** An image that was decoded to prove what it is, upright, without any metadata. */
export interface ProcessedImage {
  content: Buffer;
  content_type: "image/jpeg" | "image/png";
  width: number;
  height: number;
}

/** More bytes than a card image may have (413). */
class ImageTooLargeError extends DomainError {
  constructor() {
    super("payload_too_large", "image: larger than 10 MiB.", { reason: "image_too_large" });
  }
}

/**
 * Checks a card image and strips it (design §5): JPEG or PNG by its content, at most 10 MiB and 40 megapixels.
 *
 * @param field the body's field that errors name
 * @throws ValidationError, or the 413 error for too many bytes
 */
export async function processImage(bytes: Uint8Array, field = "image"): Promise<ProcessedImage> {
  const format = await inspectImage(bytes, field);
  try {
    // Decoding every pixel proves the image; sharp writes no EXIF, GPS or other metadata unless told to.
    const upright = openImage(bytes).autoOrient();
    const encoded = format === "jpeg" ? upright.jpeg({ quality: 92 }) : upright.png({ compressionLevel: 6 });
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    const content_type = format === "jpeg" ? "image/jpeg" : "image/png";
    return { content: data, content_type, width: info.width, height: info.height };
  } catch {
    throw new ValidationError({ [field]: [DAMAGED] });
  }
}

const DAMAGED = "Is damaged: it can't be decoded.";

const openImage = (bytes: Uint8Array) => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: "error" });

/** The format of an image within the limits. */
async function inspectImage(bytes: Uint8Array, field: string): Promise<"jpeg" | "png"> {
  if (bytes.byteLength === 0) throw new ValidationError({ [field]: ["Is empty."] });
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw new ImageTooLargeError();
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null);
  if (metadata?.format !== "jpeg" && metadata?.format !== "png") {
    throw new ValidationError({ [field]: ["Is not a JPEG or PNG image."] });
  }
  if ((metadata.width ?? 0) * (metadata.height ?? 0) > MAX_PIXELS) {
    throw new ValidationError({ [field]: ["Has more than 40 megapixels."] });
  }
  return metadata.format;
}

/**
 * Whether a card image would be taken, by the same limits; every pixel is decoded, and kept nowhere.
 *
 * @throws ImageTooLargeError, ValidationError where it lies outside of the limits
 */
export async function isDecodable(bytes: Uint8Array): Promise<boolean> {
  await inspectImage(bytes, "image");
  return openImage(bytes)
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    );
}

const PREVIEW_PIXELS = 800;

/** A stored image made small: at most 800 pixels wide and high, in its own format. */
export async function previewOf(bytes: Uint8Array): Promise<Buffer> {
  return openImage(bytes)
    .resize({ width: PREVIEW_PIXELS, height: PREVIEW_PIXELS, fit: "inside", withoutEnlargement: true })
    .toBuffer();
}

/** Decodes strict base64, with or without a data URL in front. */
export function decodeBase64(text: string, field: string): Uint8Array {
  const encoded = text.replace(/^data:[\w/+.-]+;base64,/, "").replace(/\s+/g, "");
  if (encoded === "" || encoded.length % 4 === 1 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) {
    throw new ValidationError({ image: { [field]: ["Is not base64."] } });
  }
  return Buffer.from(encoded, "base64");
}

/** Keeps a processed image in the store, under a new random key unless one is given. */
export async function storeImage(
  image: ProcessedImage,
  createdDate: string,
  image_key: string = randomUUID(),
): Promise<CardImage> {
  await imageStore().put(image_key, image.content);
  return toCardImage(image, createdDate, image_key);
}

function toCardImage(image: ProcessedImage, created_date: string, image_key: string): CardImage {
  const { content, content_type, width, height } = image;
  return { image_key, sha256: hashOf(content), content_type, bytes: content.byteLength, width, height, created_date };
}

/**
 * Keeps an image while `write` refers to it; in a dry run the store is left alone. Where the write was refused the bytes
 * go again; where it is not known whether it was committed they stay, for losing an image is worse than keeping one too
 * many.
 */
export async function withStoredImage<T>(
  image: ProcessedImage,
  options: { createdDate: string; dryRun?: boolean },
  write: (stored: CardImage) => Promise<T>,
): Promise<T> {
  if (options.dryRun) return write(toCardImage(image, options.createdDate, randomUUID()));
  const stored = await storeImage(image, options.createdDate);
  try {
    return await write(stored);
  } catch (error) {
    const refused = error instanceof DomainError && !(error instanceof OverloadedError);
    if (refused) await forgetImage(stored.image_key);
    throw error;
  }
}

/** Takes an image that no record refers to out of the store again; where that fails, the orphan sweep does it. */
export async function forgetImage(key: string): Promise<void> {
  await imageStore()
    .delete(key)
    .catch((err: unknown) => log.warn({ err, image: key }, "a card image without a record was left behind"));
}
