import sharp from "sharp";

/** A small PNG of one colour: each seed another picture. */
export async function pngImage(seed: number): Promise<Buffer> {
  const background = { r: (seed * 53) % 256, g: (seed * 101) % 256, b: (seed * 197) % 256 };
  return sharp({ create: { width: 32, height: 20, channels: 3, background } })
    .png()
    .toBuffer();
}

/** The JSON form of an upload. */
export async function imageContent(seed: number): Promise<{ base64_content: string; original_filename: string }> {
  return { base64_content: (await pngImage(seed)).toString("base64"), original_filename: "card.png" };
}
