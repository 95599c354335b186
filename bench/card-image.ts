import sharp from "sharp";

/** Writes an image to upload. */
export async function writeCardImage(file: string): Promise<void> {
  const noise = { type: "gaussian" as const, mean: 128, sigma: 20 };
  const card = sharp({ create: { width: 640, height: 400, channels: 3, background: "white", noise } });
  await card.jpeg({ quality: 80 }).toFile(file);
}
