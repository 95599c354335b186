// What a program prints: sentences for people, or one JSON object a line for other programs.
import { once } from "node:events";

/** Writes as fast as the reader reads, never more. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Who reads our output may stop early, as `head` does. */
export function endWithReader(): void {
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 3));
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
