import type { KnownImage } from "@/lib/insurance/fields/card-image";
import { type ImageStore, imageStore } from "@/lib/platform/storage/image-store";
import { LocalImageStore } from "@/lib/platform/storage/local-image-store";
import { hashImage } from "@/lib/platform/storage/read-image";
import { eachKnownImage, findImageRecord } from "./image-queries";

/** An image that does not match its database record. */
export interface BadImage extends Omit<KnownImage, "sha256"> {
  problem: "missing" | "damaged";
}

export interface ImagesReport {
  /** Images with a database record. */
  images: number;
  whole: number;
  missing: number;
  damaged: number;
  /** Images copied by this run. The others were already in the store. */
  copied: number;
  /** Total size of the intact images. */
  bytes: number;
  seconds: number;
}

type Progress = (report: ImagesReport) => void;
type OnBad = (image: BadImage) => void;

/** Concurrent reads: enough to keep a remote store busy. */
const CONCURRENCY = 8;

/**
 * Reads every image that the database records from the store, and compares size and hash. Images that are deleted during the
 * run are not counted.
 *
 * @throws OverloadedError if the store or the database can't be reached
 */
export async function checkImages(on: { bad: OnBad; progress?: Progress | undefined }): Promise<ImagesReport> {
  return forEachImage(on, async (image) => compare(image, await imageStore().get(image.image_key)));
}

/**
 * Copies the images that the database records from a local folder into the store. Images that are already intact in the store
 * are skipped, so an interrupted run can be repeated. Images that do not match their record are not copied.
 *
 * @param folder a folder of the local image store
 * @throws OverloadedError if the folder, the store or the database can't be reached
 */
export async function copyImages(
  folder: string,
  on: { bad: OnBad; progress?: Progress | undefined },
): Promise<ImagesReport> {
  const [from, to] = [new LocalImageStore(folder), imageStore()];
  return forEachImage(on, (image) => copyOne(image, { from, to }));
}

type Verdict = "whole" | "copied" | BadImage["problem"];

function compare({ sha256, bytes }: KnownImage, found: Uint8Array | null): Verdict {
  if (found === null) return "missing";
  return found.byteLength === bytes && hashImage(found) === sha256 ? "whole" : "damaged";
}

async function copyOne(image: KnownImage, { from, to }: { from: ImageStore; to: ImageStore }): Promise<Verdict> {
  if (compare(image, await to.get(image.image_key)) === "whole") return "whole";
  const bytes = await from.get(image.image_key);
  const verdict = compare(image, bytes);
  if (bytes === null || verdict !== "whole") return verdict;
  await to.put(image.image_key, bytes);
  return "copied";
}

async function forEachImage(
  on: { bad: OnBad; progress?: Progress | undefined },
  work: (image: KnownImage) => Promise<Verdict>,
): Promise<ImagesReport> {
  const started = performance.now();
  const report = { images: 0, whole: 0, missing: 0, damaged: 0, copied: 0, bytes: 0, seconds: 0 };
  for await (const images of eachKnownImage()) {
    const queue = images.values();
    const worker = async () => {
      for (const image of queue) await note(image, await work(image), { on, report });
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    report.seconds = (performance.now() - started) / 1_000;
    on.progress?.(report);
  }
  return report;
}

async function note(
  image: KnownImage,
  verdict: Verdict,
  { on, report }: { on: { bad: OnBad }; report: ImagesReport },
): Promise<void> {
  const { sha256: _, ...named } = image;
  if (verdict === "missing" || verdict === "damaged") {
    // The image was purged between the query and the read, so it is not missing.
    if (verdict === "missing" && (await findImageRecord(image.image_key)) === null) return;
    on.bad({ ...named, problem: verdict });
    report[verdict]++;
  } else {
    report.whole++;
    report.bytes += image.bytes;
    if (verdict === "copied") report.copied++;
  }
  report.images++;
}
