// Decodes images in a separate process, one at a time: lib/platform/jobs/task-process.ts starts it with plain Node and talks to
// it over an IPC channel. Whatever an image does to libvips, the server's memory, thread pool and secrets are out of its reach.
import sharp from "sharp";

// Every image is decoded once, on one thread: how many at once is decided by how many of these processes run.
sharp.cache(false);
sharp.concurrency(1);
// libvips knows dozens of formats; only these two loaders may see what a client sent.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer"] });

const PREVIEW_PIXELS = 800;
/** Optimal Huffman tables need all coefficients in memory (6 bytes a pixel), which only smaller images may take. */
const OPTIMIZED_PIXELS = 16_000_000;

/** @type {Record<string, (image: import("sharp").Sharp, about: { format: string, width: number, height: number }) => import("sharp").Sharp>} */
const TASKS = {
  // Upright and without metadata: sharp writes no EXIF, GPS or other metadata unless told to.
  normalize: (image, { format, width, height }) =>
    format === "png"
      ? image.autoOrient().png({ compressionLevel: 6 })
      : image.autoOrient().jpeg({ quality: 92, optimizeCoding: width * height <= OPTIMIZED_PIXELS }),
  // The last row is only reached through all the others, and one row is all that is kept.
  prove: (image, { width, height }) => image.extract({ left: 0, top: height - 1, width, height: 1 }).raw(),
  preview: (image) =>
    image.resize({ width: PREVIEW_PIXELS, height: PREVIEW_PIXELS, fit: "inside", withoutEnlargement: true }),
};

process.on("message", async (/** @type {any} */ { task, bytes, header, maxPixels }) => {
  try {
    const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true });
    const { data, info } = await TASKS[task](image, header).toBuffer({ resolveWithObject: true });
    process.send?.({ content: data, width: info.width, height: info.height });
  } catch (error) {
    process.send?.({ damage: String(error) });
  }
});

// It ends with the server, also where that was killed. Ctrl-C reaches the whole group, and requests under way may finish.
process.on("disconnect", () => process.exit());
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
