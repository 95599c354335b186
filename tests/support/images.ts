import { crc32 } from "node:zlib";
import sharp from "sharp";

/** Creates a small PNG of one color, different for each seed. */
export async function pngImage(seed: number): Promise<Buffer> {
  const background = { r: (seed * 53) % 256, g: (seed * 101) % 256, b: (seed * 197) % 256 };
  return sharp({ create: { width: 32, height: 20, channels: 3, background } })
    .png()
    .toBuffer();
}

/** Returns an image in the JSON form of an upload. */
export async function imageContent(seed: number): Promise<{ base64_content: string; original_filename: string }> {
  return { base64_content: (await pngImage(seed)).toString("base64"), original_filename: "card.png" };
}

/** Builds a gray PNG by hand, so that its header can differ from any encoder's. `pixels` is the compressed image. */
export function pngOf(header: { width: number; height: number; bitDepth: number; pixels: Buffer }): Buffer {
  const ihdr = Buffer.alloc(13);
  ihdr.writeUInt32BE(header.width, 0);
  ihdr.writeUInt32BE(header.height, 4);
  ihdr.writeUInt8(header.bitDepth, 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunkOf("IHDR", ihdr),
    chunkOf("IDAT", header.pixels),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

function chunkOf(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
