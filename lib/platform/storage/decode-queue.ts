import fs from "node:fs";
import path from "node:path";
import { config } from "@/lib/platform/config";
import { TaskQueue } from "@/lib/platform/jobs/task-queue";
import { processWide } from "@/lib/platform/objects";
import type { ImageHeader } from "./image-header";

/**
 * - `normalize` decodes every pixel and encodes the image again, upright and without metadata
 * - `prove` decodes every pixel and keeps nothing
 * - `preview` creates a small image in the same format
 */
export type DecodeTask = "normalize" | "prove" | "preview";

export interface DecodeRequest {
  task: DecodeTask;
  bytes: Uint8Array;
  header: ImageHeader;
  maxPixels: number;
}

/** The decoded image, or why it can't be decoded. */
export type Decoded = { content: Buffer; width: number; height: number } | { damage: string };

const PROGRAM = "lib/platform/storage/decoder.mjs";
/** The slowest image takes a few seconds of CPU time. */
const LIMIT_MS = 60_000;

const createQueue = () =>
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
    concurrency: () => config().IMAGE_DECODERS,
    sizeOf: ({ bytes }) => bytes.byteLength,
    busy: {
      message: "Too many images are waiting to be decoded. Nothing was changed. Try again shortly.",
      reason: "image_queue_full",
    },
  });

/** Finds the program from wherever this module was bundled to. It is plain JavaScript, so it is not bundled itself. */
function findProgram(): string {
  for (let folder = import.meta.dirname; folder; folder = path.dirname(folder)) {
    const file = path.join(folder, PROGRAM);
    if (fs.existsSync(file)) return file;
    if (folder === path.dirname(folder)) break;
  }
  return path.resolve(PROGRAM);
}

// Next bundles route modules apart from the server: the limit is the process's.
/** Returns the queue of this process's image decoders. */
export function decodeQueue() {
  return processWide("crosswalkDecodeQueue", createQueue);
}
