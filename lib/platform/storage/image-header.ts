/** Format and size of an image, known without decoding it. */
export interface ImageHeader {
  format: "jpeg" | "png";
  width: number;
  height: number;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);

/** `unknown` is neither JPEG nor PNG. `damaged` is one of them without a readable size. */
export type HeaderReading = ImageHeader | "unknown" | "damaged";

/** Reads format and size from the first bytes of an image, which is cheap for any content. */
export function readImageHeader(bytes: Uint8Array): HeaderReading {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.subarray(0, 8).equals(PNG_SIGNATURE)) return readPngHeader(buffer) ?? "damaged";
  if (buffer.subarray(0, 3).equals(JPEG_SIGNATURE)) return readJpegHeader(buffer) ?? "damaged";
  return "unknown";
}

/** The IHDR chunk always comes first. */
function readPngHeader(buffer: Buffer): ImageHeader | null {
  if (buffer.length < 24 || buffer.toString("latin1", 12, 16) !== "IHDR") return null;
  return { format: "png", width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) };
}

/** Finds the start of frame, which holds the size. Like libjpeg, it skips bytes between segments. */
function readJpegHeader(buffer: Buffer): ImageHeader | null {
  for (let at = buffer.indexOf(0xff, 2); at >= 0; at = buffer.indexOf(0xff, at)) {
    while (buffer[at] === 0xff) at += 1;
    const marker = buffer[at] ?? END_OF_IMAGE;
    at += 1;
    if (marker === 0 || isStandalone(marker)) continue;
    if (marker === END_OF_IMAGE || marker === START_OF_SCAN || at + 7 > buffer.length) return null;
    if (isStartOfFrame(marker)) {
      return { format: "jpeg", height: buffer.readUInt16BE(at + 3), width: buffer.readUInt16BE(at + 5) };
    }
    at += Math.max(2, buffer.readUInt16BE(at));
  }
  return null;
}

const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/** Restart markers, start of image and TEM have no length. */
const isStandalone = (marker: number) => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01;

/** SOF0 to SOF15, except the tables in the same range: DHT, JPG and DAC. */
const isStartOfFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
