// What the user sees while a script works: one line a step, rewritten in place on a terminal.

/** An error that is the user's to mend: shown as one line, without a stack. */
export class Failure extends Error {}

/** What was typed can't be understood: exit code 2. */
export class UsageFailure extends Failure {}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** A line of the script's result. Progress goes to stderr, so that a result can be piped on. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs one step and shows that it runs, that it is done and how long it took.
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

function showRunning(title, started) {
  const { stderr } = process;
  if (!stderr.isTTY) {
    stderr.write(`… ${title}\n`);
    return { end: (line) => stderr.write(`${line}\n`) };
  }
  const draw = () => stderr.write(`\r\x1b[K… ${title} ${seconds(started)}`);
  draw();
  const timer = setInterval(draw, 500);
  return {
    end(line) {
      clearInterval(timer);
      stderr.write(`\r\x1b[K${line}\n`);
    },
  };
}
