// What a program prints: sentences for people, or one JSON object a line for other programs.
import { once } from "node:events";
import { describeSystemFailure } from "@/lib/platform/system-failure.mjs";

let isClosed = false;

/** Writes as fast as the reader reads, never more. */
export async function print(text: string): Promise<void> {
  if (isClosed || process.stdout.write(text)) return;
  const stop = new AbortController();
  const ended = ["drain", "close"].map((event) => once(process.stdout, event, { signal: stop.signal }));
  // A reader that goes away while it is waited for is no failure.
  await Promise.race(ended).catch(() => {});
  for (const one of ended) one.catch(() => {});
  stop.abort();
}

/**
 * Goes on without output where its reader stops early, as `head` does: the exit code is the same. Output that can't be written
 * for another reason, such as a full disk, ends the program.
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

/** A number as people read it: `12,345`. */
export const number = (value: number) => value.toLocaleString("en-US");

/** Tells the same thing to people and to programs. */
export class Output {
  readonly #asJson: boolean;

  constructor(asJson: boolean) {
    this.#asJson = asJson;
  }

  /**
   * @param told for programs: `event` says what it is about
   * @param lines for people
   */
  async tell(told: { event: string } & Record<string, unknown>, lines: readonly string[]): Promise<void> {
    if (this.#asJson) await print(`${JSON.stringify(told)}\n`);
    else if (lines.length > 0) await print(`${lines.join("\n")}\n`);
  }
}
