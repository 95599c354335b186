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
/** Limits of a request with several images, such as a fax of many pages. */
const MAX_IMAGES = 100;
const MAX_TOTAL_PIXELS = 400_000_000;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** Maximum size of the form around an image. */
const FORM_BYTES = 4_096;

/** Returns the limits of a card image, so that a page can check them before it uploads one. */
export function imageLimits(): { bytes: number; pixels: number } {
  return { bytes: Math.min(MAX_IMAGE_BYTES, config().MAX_BODY_BYTES - FORM_BYTES), pixels: MAX_PIXELS };
}

/** A decoded and re-encoded image, upright and without metadata. */
export interface ProcessedImage {
  content: Buffer;
  content_type: "image/jpeg" | "image/png";
  width: number;
  height: number;
}

/** An image has too many bytes (413). */
class ImageTooLargeError extends DomainError {
  constructor(message = "image: larger than 10 MiB.") {
    super("payload_too_large", message, { reason: "image_too_large" });
  }
}

interface Options {
  /** The field that errors name. */
  field?: string;
  /** Who waits for the image. Omit it for our own programs, which wait as long as it takes. */
  requester?: Requester | undefined;
}

/**
 * Validates a card image and removes its metadata: JPEG or PNG by its content, up to 10 MiB and 40 megapixels. Decoding may
 * take seconds and waits for its turn, so never call it in a transaction or before the caller's permissions are checked.
 *
 * @throws ValidationError
 * @throws ImageTooLargeError
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

/** One of several images in a request. */
export interface SentImage {
  bytes: Uint8Array;
  field: string;
  /** Nests errors at the image's place in the body. */
  place: (errors: FieldErrors) => FieldErrors;
}

/**
 * Processes all images of a request. Checks all headers before it decodes the first image.
 *
 * @param field the field that holds the images, for errors about all of them
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
  if (pixels > MAX_TOTAL_PIXELS) {
    throw new ValidationError({ [field]: [`Has more than ${MAX_TOTAL_PIXELS / 1e6} megapixels in all.`] });
  }
  const processed: ProcessedImage[] = [];
  let size = 0;
  for (const image of images) {
    const result = await atPlace(image, () => processImage(image.bytes, { field: image.field, requester }));
    size += result.content.byteLength;
    if (size > MAX_TOTAL_BYTES) throw new ImageTooLargeError(`${field}: larger than 64 MiB in all.`);
    processed.push(result);
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

const DAMAGED = "The image is damaged and can't be decoded.";

/** Returns the header of an image. @throws ValidationError or ImageTooLargeError beyond the limits */
function inspectImage(bytes: Uint8Array, field: string): ImageHeader {
  if (bytes.byteLength === 0) throw new ValidationError({ [field]: ["The image is empty."] });
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw new ImageTooLargeError();
  const header = readImageHeader(bytes);
  if (header === "unknown") throw new ValidationError({ [field]: ["The file is not a JPEG or PNG image."] });
  if (header === "damaged") throw new ValidationError({ [field]: [DAMAGED] });
  if (header.width * header.height > MAX_PIXELS)
    throw new ValidationError({ [field]: ["The image has more than 40 megapixels."] });
  return header;
}

/** Returns null if the image can't be decoded. */
async function decode(task: DecodeTask, bytes: Uint8Array, header: ImageHeader, requester?: Requester) {
  const decoded = await decodeQueue().run({ task, bytes, header, maxPixels: MAX_PIXELS }, requester ?? null);
  return "damage" in decoded ? null : decoded;
}

/**
 * Returns whether every pixel of a card image can be decoded.
 *
 * @throws ImageTooLargeError or ValidationError beyond the limits
 */
export async function isDecodable(bytes: Uint8Array): Promise<boolean> {
  return (await decode("prove", bytes, inspectImage(bytes, "image"))) !== null;
}

/**
 * Scales a stored image down to at most 800 pixels in width and height, in its own format.
 *
 * @throws OverloadedError image_queue_full
 */
export async function renderPreview(bytes: Uint8Array, requester: Requester): Promise<Buffer> {
  const preview = await decode("preview", bytes, inspectImage(bytes, "image"), requester);
  if (!preview) throw new Error("a stored image can't be decoded");
  return preview.content;
}

/** Decodes strict base64, with or without the prefix of a data URL. */
export function decodeBase64(text: string, field: string): Uint8Array<ArrayBuffer> {
  const sent = text.replace(/^data:[\w/+.-]{1,200};base64,/, "");
  const encoded = /\s/.test(sent) ? withoutSpaces(sent) : sent;
  if (encoded === "") throw new ValidationError({ image: { [field]: ["May not be blank."] } });
  if (encoded.length % 4 === 1 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) {
    throw new ValidationError({ image: { [field]: ["Is not base64."] } });
  }
  return Buffer.from(encoded, "base64");
}

/** Removes spaces and line breaks byte by byte, because replacing millions of them takes seconds. */
function withoutSpaces(text: string): string {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte > 0x20) bytes[length++] = byte;
  }
  return bytes.toString("latin1", 0, length);
}

/** Stores a processed image, under a new random key by default. */
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
 * Stores an image that `write` refers to, except in a dry run. If the write is rejected, the image is deleted. If it is unknown whether the
 * write was committed, the image stays, because losing one is worse than keeping an orphan.
 *
 * @param options.requestId for the log
 */
export async function withStoredImage<T>(
  image: ProcessedImage,
  options: { createdDate: string; dryRun?: boolean; requestId?: string | null },
  write: (stored: StoredImage) => Promise<T>,
): Promise<T> {
  if (options.dryRun) return write(toStoredImage(image, options.createdDate, randomUUID()));
  const stored = await storeImage(image, options.createdDate);
  try {
    return await write(stored);
  } catch (error) {
    const isRejected = error instanceof DomainError && !(error instanceof OverloadedError);
    if (isRejected) await discardImage(stored.image_key, options.requestId);
    throw error;
  }
}

/** Deletes an image without a record. If that fails, the orphan sweep deletes it later. */
export async function discardImage(key: string, request?: string | null): Promise<void> {
  await imageStore()
    .delete(key)
    .catch((err: unknown) => log.warn({ err, image: key, request }, "a card image without a record was left behind"));
}
