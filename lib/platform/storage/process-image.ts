import { randomUUID } from "node:crypto";
import { config } from "@/lib/platform/config";
import { DomainError, type FieldErrors, OverloadedError, ValidationError } from "@/lib/platform/errors";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { log } from "@/lib/platform/log";
import { type DecodeTask, decodeQueue } from "./decode-queue";
import { type ImageHeader, readImageHeader } from "./image-header";
import { imageStore } from "./image-store";
import { hashImage } from "./read-image";
import type { StoredImage } from "./stored-image";

const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const MAX_PIXELS = 40_000_000;
/** Of one request that carries several images, as a fax of many pages. */
const MAX_IMAGES = 100;
const MAX_PIXELS_OF_REQUEST = 400_000_000;
const MAX_BYTES_OF_REQUEST = 64 * 1024 * 1024;

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

/** More bytes than images may have (413). */
class ImageTooLargeError extends DomainError {
  constructor(message = "image: larger than 10 MiB.") {
    super("payload_too_large", message, { reason: "image_too_large" });
  }
}

interface Options {
  /** The body's field that errors name. */
  field?: string;
  /** Who waits for the image; left out for our own programs, which wait as long as it takes. */
  requester?: Requester | undefined;
}

/**
 * Checks a card image and strips it (design §5): JPEG or PNG by its content, at most 10 MiB and 40 megapixels. Decoding may
 * take seconds and waits its turn: never call it within a transaction, nor before the caller's rights were checked.
 *
 * @throws ValidationError, or the 413 error for too many bytes
 * @throws OverloadedError image_queue_full
 */
export async function processImage(
  bytes: Uint8Array,
  { field = "image", requester }: Options = {},
): Promise<ProcessedImage> {
  const header = inspectImage(bytes, field);
  const decoded = await decode("normalize", bytes, header, requester);
  if (!decoded) throw new ValidationError({ [field]: [DAMAGED] });
  return { ...decoded, content_type: header.format === "jpeg" ? "image/jpeg" : "image/png" };
}

/** One of several images of a request. */
export interface SentImage {
  bytes: Uint8Array;
  field: string;
  /** Gives errors their place in the body. */
  place: (errors: FieldErrors) => FieldErrors;
}

/**
 * The same for all images of a request: what all of them say of themselves is checked before the first is decoded.
 *
 * @param field the body's field that holds them, which errors of all of them name
 */
export async function processImages(
  images: readonly SentImage[],
  { field, requester }: { field: string; requester?: Requester | undefined },
): Promise<ProcessedImage[]> {
  if (images.length > MAX_IMAGES) throw new ValidationError({ [field]: [`Has more than ${MAX_IMAGES} images.`] });
  const headers = await Promise.all(
    images.map((image) => atPlace(image, async () => inspectImage(image.bytes, image.field))),
  );
  const pixels = headers.reduce((sum, { width, height }) => sum + width * height, 0);
  if (pixels > MAX_PIXELS_OF_REQUEST) {
    throw new ValidationError({ [field]: [`Has more than ${MAX_PIXELS_OF_REQUEST / 1e6} megapixels in all.`] });
  }
  const processed: ProcessedImage[] = [];
  let size = 0;
  for (const image of images) {
    const one = await atPlace(image, () => processImage(image.bytes, { field: image.field, requester }));
    size += one.content.byteLength;
    if (size > MAX_BYTES_OF_REQUEST) throw new ImageTooLargeError(`${field}: larger than 64 MiB in all.`);
    processed.push(one);
  }
  return processed;
}

async function atPlace<T>({ place }: SentImage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError(place(error.fields as FieldErrors));
  }
}

const DAMAGED = "Is damaged: it can't be decoded.";

/** What an image within the limits says of itself. */
function inspectImage(bytes: Uint8Array, field: string): ImageHeader {
  if (bytes.byteLength === 0) throw new ValidationError({ [field]: ["Is empty."] });
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw new ImageTooLargeError();
  const header = readImageHeader(bytes);
  if (header === "unknown") throw new ValidationError({ [field]: ["Is not a JPEG or PNG image."] });
  if (header === "damaged") throw new ValidationError({ [field]: [DAMAGED] });
  if (header.width * header.height > MAX_PIXELS)
    throw new ValidationError({ [field]: ["Has more than 40 megapixels."] });
  return header;
}

/** A decoded image; null where it can't be decoded. */
async function decode(task: DecodeTask, bytes: Uint8Array, header: ImageHeader, requester?: Requester) {
  const decoded = await decodeQueue().do({ task, bytes, header, maxPixels: MAX_PIXELS }, requester ?? null);
  return "damage" in decoded ? null : decoded;
}

/**
 * Whether a card image would be taken, by the same limits; every pixel is decoded, and kept nowhere.
 *
 * @throws ImageTooLargeError, ValidationError where it lies outside of the limits
 */
export async function isDecodable(bytes: Uint8Array): Promise<boolean> {
  return (await decode("prove", bytes, inspectImage(bytes, "image"))) !== null;
}

/**
 * A stored image made small: at most 800 pixels wide and high, in its own format.
 *
 * @throws OverloadedError image_queue_full
 */
export async function renderPreview(bytes: Uint8Array, requester: Requester): Promise<Buffer> {
  const preview = await decode("preview", bytes, inspectImage(bytes, "image"), requester);
  if (!preview) throw new Error("a stored image can't be decoded");
  return preview.content;
}

/** Decodes strict base64, with or without a data URL in front. */
export function decodeBase64(text: string, field: string): Uint8Array<ArrayBuffer> {
  const sent = text.replace(/^data:[\w/+.-]{1,200};base64,/, "");
  const encoded = /\s/.test(sent) ? withoutSpaces(sent) : sent;
  if (encoded === "" || encoded.length % 4 === 1 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) {
    throw new ValidationError({ image: { [field]: ["Is not base64."] } });
  }
  return Buffer.from(encoded, "base64");
}

/** Leaves out spaces and line breaks, byte by byte: to replace millions of them takes seconds. */
function withoutSpaces(text: string): string {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte > 0x20) bytes[length++] = byte;
  }
  return bytes.toString("latin1", 0, length);
}

/** Keeps a processed image in the store, under a new random key unless one is given. */
export async function storeImage(
  image: ProcessedImage,
  createdDate: string,
  image_key: string = randomUUID(),
): Promise<StoredImage> {
  await imageStore().put(image_key, image.content);
  return toStoredImage(image, createdDate, image_key);
}

function toStoredImage(image: ProcessedImage, created_date: string, image_key: string): StoredImage {
  const { content, content_type, width, height } = image;
  return {
    image_key,
    sha256: hashImage(content),
    content_type,
    bytes: content.byteLength,
    width,
    height,
    created_date,
  };
}

/**
 * Keeps an image while `write` refers to it; in a dry run the store is left alone. Where the write was refused the bytes
 * go again; where it is not known whether it was committed they stay, for losing an image is worse than keeping one too
 * many.
 */
export async function withStoredImage<T>(
  image: ProcessedImage,
  options: { createdDate: string; dryRun?: boolean },
  write: (stored: StoredImage) => Promise<T>,
): Promise<T> {
  if (options.dryRun) return write(toStoredImage(image, options.createdDate, randomUUID()));
  const stored = await storeImage(image, options.createdDate);
  try {
    return await write(stored);
  } catch (error) {
    const refused = error instanceof DomainError && !(error instanceof OverloadedError);
    if (refused) await discardImage(stored.image_key);
    throw error;
  }
}

/** Takes an image that no record refers to out of the store again; where that fails, the orphan sweep does it. */
export async function discardImage(key: string): Promise<void> {
  await imageStore()
    .delete(key)
    .catch((err: unknown) => log.warn({ err, image: key }, "a card image without a record was left behind"));
}
