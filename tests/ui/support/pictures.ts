// Pictures to upload, like those of a camera.
import sharp from "sharp";

/** Creates a photo of a card, in landscape. */
export async function photo(name: string, hue: number) {
  const background = { r: hue % 256, g: 120, b: 160 };
  const buffer = await sharp({ create: { width: 640, height: 400, channels: 3, background } })
    .jpeg()
    .toBuffer();
  return { name, mimeType: "image/jpeg", buffer };
}
