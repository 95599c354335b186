// Progress of a script: one line per step, updated in place on a terminal.

/** An error that users can fix. It is shown as one line, without a stack. */
export class Failure extends Error {}

/** Wrong usage: exit code 2. */
export class UsageFailure extends Failure {}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Prints a line of the result. Progress goes to stderr, so results can be piped. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs a step and shows that it is running, when it is done, and how long it took.
 * @template T
 * @param {string} title
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const started = performance.now();
  const ticker = showRunning(title, started);
  try {
    const result = await work();
    ticker.end(`✓ ${title} (${seconds(started)})`);
    return result;
  } catch (error) {
    ticker.end(`✗ ${title} (${seconds(started)})`);
    throw error;
  }
}

/** The running steps, in the order of their start. */
const running = new Map();
/** Redraws them while there are any. */
let drawing;

function showRunning(title, started) {
  const { stderr } = process;
  if (!stderr.isTTY) {
    stderr.write(`… ${title}\n`);
    return { end: (line) => stderr.write(`${line}\n`) };
  }
  const key = Symbol(title);
  const draw = () => {
    const steps = [...running.values()].map((step) => `${step.title} ${seconds(step.started)}`);
    stderr.write(`\r\x1b[K${steps.length > 0 ? `… ${steps.join(", ")}` : ""}`);
  };
  running.set(key, { title, started });
  draw();
  drawing ??= setInterval(draw, 500);
  return {
    end(line) {
      running.delete(key);
      stderr.write(`\r\x1b[K${line}\n`);
      draw();
      if (running.size > 0) return;
      clearInterval(drawing);
      drawing = undefined;
    },
  };
}
