// The migration's check predicts what the conversion does with any image.
import fc from "fast-check";
import sharp, { type Sharp } from "sharp";
import { expect, test } from "vitest";
import { ValidationError } from "@/lib/platform/errors";
import { readImageHeader } from "@/lib/platform/storage/image-header";
import { isDecodable, processImage } from "@/lib/platform/storage/process-image";
import { rounds } from "../support/rounds";

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122);
const RUNS = rounds(150);

const noise = { type: "gaussian" as const, mean: 128, sigma: 30 };
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "white", noise } });

/** Each way to encode an image. */
const ENCODINGS: [string, (image: Sharp) => Sharp][] = [
  ["JPEG", (image) => image.jpeg()],
  ["progressive JPEG", (image) => image.jpeg({ progressive: true })],
  [
    "rotated JPEG, with EXIF",
    (image) =>
      image
        .withExif({ IFD0: { Make: "Camera" } })
        .withMetadata({ orientation: 6 })
        .jpeg(),
  ],
  ["PNG", (image) => image.png()],
  ["interlaced PNG with alpha", (image) => image.ensureAlpha(0.5).png({ progressive: true })],
  ["PNG with a palette", (image) => image.png({ palette: true })],
];

const verdictOf = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    (result) => result !== false,
    (error: unknown) => {
      if (!(error instanceof ValidationError)) throw error;
      return false;
    },
  );

test.each(ENCODINGS)("%s: check and conversion agree on damaged bytes", async (_name, encode) => {
  const whole = await encode(picture(60, 40)).toBuffer();
  const verdicts = new Set<boolean>();
  const damage = fc.record({
    flips: fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 3 }),
    cut: fc.option(fc.nat(whole.length), { freq: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ flips, cut }) => {
      const bytes = Buffer.from(whole.subarray(0, cut ?? undefined));
      for (const [at, value] of flips) if (at < bytes.length) bytes[at] = value;
      const [checked, converted] = [await verdictOf(isDecodable(bytes)), await verdictOf(processImage(bytes))];
      verdicts.add(converted);
      expect(checked).toBe(converted);
    }),
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
  expect(verdicts).toEqual(new Set([true, false]));
});

test.each(ENCODINGS)("%s: the header has the same format and size as the decoded image", async (_name, encode) => {
  for (const [width, height] of [
    [1, 1],
    [300, 2],
    [17, 700],
  ] as const) {
    const bytes = await encode(picture(width, height)).toBuffer();
    const { format, width: w, height: h } = await sharp(bytes).metadata();
    expect(readImageHeader(bytes)).toEqual({ format, width: w, height: h });
  }
});
