import { fileErrors } from "../messages/cards";

/** Encodes a canvas as a JPEG or PNG. */
export function toBlob(canvas: HTMLCanvasElement, type: "image/jpeg" | "image/png"): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(fileErrors.cannotEncode))), type, 0.92);
  });
}
