import { programFile } from "@/lib/processes/program-file";
import { type Requester, TaskQueue } from "@/lib/processes/task-queue";
import type { Block, Paper } from "./schema";

type Drawn = { bytes: Uint8Array } | { failure: string };

/** Papers that are drawn at once. */
const AT_ONCE = 2;
/** A hundred pages of the worst text take about 10 s of a core. */
const LIMIT_MS = 30_000;
/** Drawing 16 MB of text, the longest there is, takes half of it. */
const HEAP_MIB = 512;

const makeQueue = () =>
  new TaskQueue<Paper, Drawn>({
    program: {
      name: "paper drawer",
      find: () => {
        const { file, compiler } = programFile("draw-paper");
        const compiling = compiler === null ? [] : ["--import", "tsx"];
        return { file, nodeOptions: [`--max-old-space-size=${HEAP_MIB}`, ...compiling] };
      },
      limitMs: LIMIT_MS,
      slow: { message: "The document took too long to draw. Try again shortly.", reason: "document_too_slow" },
      describe: (paper) => ({ title: paper.title.length, characters: lengthOf(paper) }),
    },
    atOnce: () => AT_ONCE,
    sizeOf: lengthOf,
    busy: { message: "Too many documents are waiting to be drawn. Try again shortly.", reason: "document_queue_full" },
  });

/** In characters, about. */
function lengthOf({ blocks, letterhead, signature, title }: Paper): number {
  const texts = [...letterhead, signature, title, ...blocks.flatMap(textsOf)];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function textsOf(block: Block): string[] {
  switch (block.kind) {
    case "facts":
      return block.facts.flatMap(({ label, text }) => [label, text]);
    case "table":
      return block.rows.flatMap(({ cells, note = "" }) => [...cells, note]);
    case "list":
      return [...block.items];
    default:
      return [block.text];
  }
}

// Next bundles route modules apart from the server: the limit is the process's.
const shared = globalThis as { crosswalkDrawQueue?: ReturnType<typeof makeQueue> };

/** The process's programs that draw. */
export function drawQueue() {
  shared.crosswalkDrawQueue ??= makeQueue();
  return shared.crosswalkDrawQueue;
}

/**
 * Draws a paper as a PDF in a process of its own: that takes 10 ms of a core for a page and seconds for a hundred, which other
 * requests must not wait for.
 *
 * @throws OverloadedError document_queue_full, document_too_slow
 */
export async function drawApart(paper: Paper, requester: Requester): Promise<Uint8Array> {
  const drawn = await drawQueue().do(paper, requester);
  if ("failure" in drawn) throw new Error(`a paper can't be drawn: ${drawn.failure}`);
  return drawn.bytes;
}
