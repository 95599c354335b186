import fs from "node:fs";
import path from "node:path";
import { config } from "@/lib/platform/config";
import { TaskQueue } from "@/lib/platform/jobs/task-queue";
import { processWide } from "@/lib/platform/process-wide";
import type { ImageHeader } from "./image-header";

/**
 * `normalize`: decode every pixel and encode the image again, upright and without metadata. `prove`: decode every pixel and
 * keep nothing. `preview`: a small one in the image's own format.
 */
export type DecodeTask = "normalize" | "prove" | "preview";

export interface DecodeRequest {
  task: DecodeTask;
  bytes: Uint8Array;
  header: ImageHeader;
  maxPixels: number;
}

/** What came of an image; `damage` says why it can't be decoded. */
export type Decoded = { content: Buffer; width: number; height: number } | { damage: string };

const PROGRAM = "lib/platform/storage/decoder.mjs";
/** The slowest image takes a few seconds of a core. */
const LIMIT_MS = 60_000;

const makeQueue = () =>
  new TaskQueue<DecodeRequest, Decoded>({
    program: {
      name: "image decoder",
      find: () => ({ file: findProgram(), nodeOptions: [] }),
      limitMs: LIMIT_MS,
      slow: {
        message: "An image took too long to decode; nothing was changed. Try again shortly.",
        reason: "image_too_slow",
      },
      describe: ({ bytes }) => ({ bytes: bytes.byteLength }),
      onCrash: (damage) => ({ damage }),
    },
    atOnce: () => config().IMAGE_DECODERS,
    sizeOf: ({ bytes }) => bytes.byteLength,
    busy: {
      message: "Too many images are waiting to be decoded. Nothing was changed. Try again shortly.",
      reason: "image_queue_full",
    },
  });

/** The program, from wherever this module was bundled to: it is plain JavaScript and needs no build. */
function findProgram(): string {
  for (let folder = import.meta.dirname; folder; folder = path.dirname(folder)) {
    const file = path.join(folder, PROGRAM);
    if (fs.existsSync(file)) return file;
    if (folder === path.dirname(folder)) break;
  }
  return path.resolve(PROGRAM);
}

// Next bundles route modules apart from the server: the limit is the process's.
/** The process's image decoders, `IMAGE_DECODERS` at once. */
export function decodeQueue() {
  return processWide("crosswalkDecodeQueue", makeQueue);
}
