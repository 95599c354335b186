// npm run images -- check                                  reads every image that the database has and compares its hash
// npm run images -- sweep [--dry-run] [--older-than HOURS]  deletes images without a record that are older than HOURS (default: 24)
//                         [--force]                         even if there are more than crashes can explain
// npm run images -- copy --from FOLDER                      copies the images that the database has from a folder into the store
import { stat } from "node:fs/promises";
import path from "node:path";
import { sweepOrphans } from "@/lib/insurance/images/sweep-orphans";
import { type BadImage, checkImages, copyImages, type ImagesReport } from "@/lib/insurance/images/verify-images";
import { readCommand, runProgram, UsageError, type Values } from "./lib/command-line";

const USAGE = "Usage: npm run images -- check | sweep [--dry-run] [--older-than HOURS] [--force] | copy --from FOLDER";

const COMMAND_LINE = {
  usage: USAGE,
  options: {
    "dry-run": { type: "boolean" },
    "older-than": { type: "string" },
    force: { type: "boolean" },
    from: { type: "string" },
  },
  commands: {
    check: {},
    sweep: { options: ["dry-run", "older-than", "force"] },
    copy: { options: ["from"] },
  },
} as const;
type Given = Values<typeof COMMAND_LINE.options>;

const count = (value: number) => value.toLocaleString("en-US");
const size = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
const print = (line: string) => process.stdout.write(`${line}\n`);

function printBad({ problem, image_key, policy_id, patient_id }: BadImage): void {
  const shownBy = policy_id === null ? "legacy card" : `policy ${policy_id}`;
  print(`  ${problem}  ${image_key}  ${shownBy}, patient ${patient_id}`);
}

function showProgress({ images, bytes, seconds }: ImagesReport): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[K… ${count(images)} images, ${size(bytes)}, ${seconds.toFixed(0)} s`);
}

/** @returns the exit code: 1 if an image is missing or damaged */
function printImages(report: ImagesReport, copied: boolean): number {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  const { images, whole, missing, damaged, bytes, seconds } = report;
  const done = copied ? `, ${count(report.copied)} copied, ${count(whole - report.copied)} already there` : "";
  print(`Images: ${count(images)} known, ${count(whole)} match${done}, ${missing} missing, ${damaged} damaged`);
  const rate = seconds > 0 ? Math.round(images / seconds) : 0;
  print(`${size(bytes)} in ${seconds.toFixed(1)} s, ${count(rate)} images per second`);
  return missing + damaged > 0 ? 1 : 0;
}

async function copy(from: string | undefined): Promise<number> {
  if (!from) throw new UsageError(`--from is required: the folder of card images to copy. ${USAGE}`);
  const folder = await stat(from).catch(() => null);
  if (!folder?.isDirectory()) throw new UsageError(`--from ${from} is not a folder`);
  const report = await copyImages(path.resolve(from), { bad: printBad, progress: showProgress });
  return printImages(report, true);
}

/** @returns the exit code: 1 if an image could not be deleted */
async function sweep({ "dry-run": dryRun = false, "older-than": hours = "24", force = false }: Given): Promise<number> {
  // A shorter time would delete the images of uploads in progress.
  if (!/^[1-9]\d{0,5}$/.test(hours)) throw new UsageError("--older-than must be a whole number of hours, 1 or more");
  const report = await sweepOrphans({ minAgeMs: Number(hours) * 3_600_000, dryRun, force });
  const what = `${count(report.orphans)} without a record, older than ${Number(hours)} h (${size(report.bytes)})`;
  print(`Store: ${count(report.listed)} objects, ${what}`);
  const left =
    report.postponed > 0
      ? `, ${count(report.postponed)} left for the next sweep, because a conversion is in progress`
      : "";
  const failed = report.failed > 0 ? `, ${count(report.failed)} could not be deleted` : "";
  print(dryRun ? "Dry run: nothing was deleted" : `${count(report.deleted)} deleted${failed}${left}`);
  return report.failed > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  const { command, values } = readCommand(COMMAND_LINE);
  if (command === "copy") return copy(values.from);
  if (command === "sweep") return sweep(values);
  return printImages(await checkImages({ bad: printBad, progress: showProgress }), false);
}

await runProgram(main);
