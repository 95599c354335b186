const GZIP = [0x1f, 0x8b];

/** Reads the first bytes of a file, decompressed if it is gzipped. */
async function firstBytes(file: Blob, most: number): Promise<Uint8Array> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (!GZIP.every((byte, at) => start[at] === byte)) return new Uint8Array(await file.slice(0, most).arrayBuffer());
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const parts: BlobPart[] = [];
  let length = 0;
  try {
    while (length < most) {
      const { value, done } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  return new Uint8Array(await new Blob(parts).slice(0, most).arrayBuffer());
}

/**
 * Reads the beginning of a text file in UTF-8 or UTF-16, gzipped or not.
 *
 * @throws if the file is gzipped and damaged
 */
export async function beginningText(file: Blob, mostBytes: number): Promise<string> {
  const bytes = await firstBytes(file, mostBytes);
  const [a, b] = bytes;
  const encoding = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** Returns whether a file is a zip file or a workbook, which only the server opens. */
export async function isZip(file: Blob): Promise<boolean> {
  const [a, b] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return a === 0x50 && b === 0x4b;
}
