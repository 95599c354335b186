import { execFileSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";

/** Lists the processes that decode images for this process, or that run another program. */
export function decoderPids(program = "decoder.mjs"): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,command="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    return Number(parent) === process.pid && command.join(" ").includes(program) ? [Number(pid)] : [];
  });
}

/** Pauses the only decoder, so that images wait until `go` is called. */
export function holdDecoder(): { go: () => void } {
  const [pid, ...others] = decoderPids();
  if (pid === undefined || others.length > 0) throw new Error(`there are ${others.length + (pid ? 1 : 0)} decoders`);
  process.kill(pid, "SIGSTOP");
  return { go: () => void process.kill(pid, "SIGCONT") };
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let wait = 0; wait < 500; wait++) {
    if (await condition()) return;
    await setTimeout(20);
  }
  throw new Error("the condition was not met in time");
}
