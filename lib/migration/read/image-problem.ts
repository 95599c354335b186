import { isBlank } from "@/lib/migration/record/raw-record";
import { DomainError, ValidationError } from "@/lib/platform/errors";
import { decodeBase64, isDecodable } from "@/lib/platform/storage/process-image";

const NO_IMAGE = "an image is no PNG or JPEG in base64.";

/** Returns why a base64 text isn't a supported image, or null. */
export async function findImageProblem(base64: unknown): Promise<string | null> {
  if (typeof base64 !== "string" || isBlank(base64)) return NO_IMAGE;
  try {
    return (await isDecodable(decodeBase64(base64, "base64_content"))) ? null : NO_IMAGE;
  } catch (error) {
    if (error instanceof DomainError && error.reason === "image_too_large") return "an image is larger than 10 MiB.";
    // A failure to start the decoder says nothing about the image.
    if (!(error instanceof ValidationError)) throw error;
    return JSON.stringify(error.fields).includes("megapixels") ? "an image has more than 40 megapixels." : NO_IMAGE;
  }
}
