import { processWide } from "@/lib/platform/process-wide";
import { programFile } from "./program-file";
import { type Requester, TaskQueue } from "./task-queue";

/** Programs of scripts/ that make documents, and what the log calls them. */
const PROGRAMS = { "render-ccda": "C-CDA renderer", "render-pdf": "PDF renderer" } as const;
type ProgramName = keyof typeof PROGRAMS;

/** What such a program answers. */
export type DocumentResult = { document: unknown } | { failure: string };

/** Documents of a kind that are made at once. */
const AT_ONCE = 2;
/** A hundred pages of the worst text take about 10 s of a core. */
const LIMIT_MS = 30_000;
/** The longest texts that are stored take half of it. */
const HEAP_MIB = 512;

const makeQueue = (program: ProgramName) =>
  new TaskQueue<unknown, DocumentResult>({
    program: {
      name: PROGRAMS[program],
      find: () => {
        const { file, compiler } = programFile(program);
        const compiling = compiler === null ? [] : ["--import", "tsx"];
        return { file, nodeOptions: [`--max-old-space-size=${HEAP_MIB}`, ...compiling] };
      },
      limitMs: LIMIT_MS,
      slow: { message: "The document took too long to make. Try again shortly.", reason: "document_too_slow" },
      describe: (task) => ({ characters: sizeOf(task) }),
    },
    atOnce: () => AT_ONCE,
    sizeOf,
    busy: { message: "Too many documents are waiting to be made. Try again shortly.", reason: "document_queue_full" },
  });

const sizeOf = (task: unknown): number => JSON.stringify(task).length;

// Next bundles route modules apart from the server: the limit is the process's.
/** The processes that run a program. */
export function documentQueue(program: ProgramName) {
  const queues = processWide("crosswalkDocumentQueues", () => new Map<ProgramName, ReturnType<typeof makeQueue>>());
  const queue = queues.get(program) ?? makeQueue(program);
  queues.set(program, queue);
  return queue;
}

/**
 * Makes a document in a separate process: laying out or writing the largest takes seconds, and other requests must not wait for
 * that.
 *
 * @throws OverloadedError document_queue_full, document_too_slow
 */
export async function makeDocument<Task, Document>(
  program: ProgramName,
  task: Task,
  requester: Requester,
): Promise<Document> {
  const made = await documentQueue(program).do(task, requester);
  if ("failure" in made) throw new Error(`the ${PROGRAMS[program]} failed: ${made.failure}`);
  return made.document as Document;
}

/** The other side, in a process that makes documents one at a time. */
export function serveDocuments<Task>(make: (task: Task) => unknown): void {
  process.on("message", async (task: Task) => {
    let made: DocumentResult;
    try {
      made = { document: await make(task) };
    } catch (error) {
      made = { failure: error instanceof Error ? String(error.stack) : String(error) };
    }
    process.send?.(made);
  });
  // It ends with the server, also where that was killed. Ctrl-C reaches the whole group, and requests under way may finish.
  process.on("disconnect", () => process.exit());
}
