// The output of a command: sentences for people, or a JSON object per line for programs.
import { once } from "node:events";
import { describeSystemFailure } from "@/lib/platform/system-failure.mjs";

let isClosed = false;

/** Writes a string and waits until the reader is ready for more. */
export async function print(text: string): Promise<void> {
  if (isClosed || process.stdout.write(text)) return;
  const stop = new AbortController();
  const ended = ["drain", "close"].map((event) => once(process.stdout, event, { signal: stop.signal }));
  // A reader that stops is not a failure.
  await Promise.race(ended).catch(() => {});
  for (const one of ended) one.catch(() => {});
  stop.abort();
}

/**
 * Continues without output if the reader stops early, as `head` does, with the same exit code. If output can't be written for another
 * reason, such as a full disk, the program ends.
 */
export function surviveReader(failureCode: number): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      isClosed ||= stream === process.stdout;
      if (error.code === "EPIPE") return;
      const why = describeSystemFailure(error) ?? error.message;
      if (stream === process.stdout) process.stderr.write(`✗ The output can't be written. ${why}\n`);
      process.exit(failureCode);
    });
  }
}

/** Formats a number: `12,345`. */
export const number = (value: number) => value.toLocaleString("en-US");

/** Returns `12 records` or `1 record`. */
export const counted = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** Prints events for people or for programs. */
export class Output {
  readonly #asJson: boolean;

  constructor(asJson: boolean) {
    this.#asJson = asJson;
  }

  /** Prints one event: as a line of JSON for programs, or as these lines for people. */
  async print(event: { event: string } & Record<string, unknown>, lines: readonly string[]): Promise<void> {
    if (this.#asJson) await print(`${JSON.stringify(event)}\n`);
    else if (lines.length > 0) await print(`${lines.join("\n")}\n`);
  }
}
