// Decodes images in a separate process, one at a time. lib/platform/jobs/task-process.ts starts it with plain Node and talks to it over an
// IPC channel. Even an image that exploits libvips can't reach the server's memory, thread pool and secrets.
import sharp from "sharp";

// Each image is decoded once and on one thread. The number of processes decides how many are decoded at the same time.
sharp.cache(false);
sharp.concurrency(1);
// libvips knows dozens of formats, but only these two loaders may read uploads.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer"] });

const PREVIEW_PIXELS = 800;
/** Optimal Huffman tables need 6 bytes of memory per pixel, so only smaller images get them. */
const OPTIMIZED_PIXELS = 16_000_000;

/** @type {Record<string, (image: import("sharp").Sharp, about: { format: string, width: number, height: number }) => import("sharp").Sharp>} */
const TASKS = {
  // Upright and without metadata, because sharp writes no EXIF or GPS by default.
  normalize: (image, { format, width, height }) =>
    format === "png"
      ? image.autoOrient().png({ compressionLevel: 6 })
      : image.autoOrient().jpeg({ quality: 92, optimizeCoding: width * height <= OPTIMIZED_PIXELS }),
  // Decodes all rows to reach the last one, and only keeps that one.
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

// Ends with the server, even if that was killed. Ctrl-C reaches the whole process group, but open requests may finish.
process.on("disconnect", () => process.exit());
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
