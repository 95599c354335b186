import { processWide } from "@/lib/platform/objects";
import { RemoteError, serializeError } from "@/lib/platform/serialize-error.mjs";
import { programFile } from "./program-file";
import { type Requester, TaskQueue } from "./task-queue";

/** Programs in scripts/ that render documents, with their names in the log. */
const PROGRAMS = { "render-ccda": "C-CDA renderer", "render-pdf": "PDF renderer" } as const;
type ProgramName = keyof typeof PROGRAMS;

/** The response of such a program: the document, or its error. */
export type DocumentResult = { document: unknown } | { failure: Record<string, unknown> };

/** How many documents of a kind are rendered at the same time. */
const CONCURRENCY = 2;
/** A hundred pages of the slowest text take about 10 s of a core. */
const LIMIT_MS = 30_000;
/** The largest documents need about 400 MB of memory. */
const HEAP_MIB = 512;

const createQueue = (program: ProgramName) =>
  new TaskQueue<unknown, DocumentResult>({
    program: {
      name: PROGRAMS[program],
      find: () => {
        const { file, compiler } = programFile(program);
        const compiling = compiler === null ? [] : ["--import", "tsx"];
        return { file, nodeOptions: [`--max-old-space-size=${HEAP_MIB}`, ...compiling] };
      },
      limitMs: LIMIT_MS,
      slow: { message: "The document took too long to render. Try again shortly.", reason: "document_too_slow" },
      describe: (task) => ({ characters: sizeOf(task) }),
    },
    concurrency: () => CONCURRENCY,
    sizeOf,
    busy: { message: "Too many documents are waiting. Try again shortly.", reason: "document_queue_full" },
  });

const sizeOf = (task: unknown): number => JSON.stringify(task).length;

/** Returns the queue of a program. */
export function documentQueue(program: ProgramName) {
  const queues = processWide("crosswalkDocumentQueues", () => new Map<ProgramName, ReturnType<typeof createQueue>>());
  const queue = queues.get(program) ?? createQueue(program);
  queues.set(program, queue);
  return queue;
}

/**
 * Renders a document in a separate process, because large ones take seconds and would delay other requests.
 *
 * @throws OverloadedError document_queue_full, document_too_slow
 */
export async function renderDocument<Task, Document>(
  program: ProgramName,
  task: Task,
  requester: Requester,
): Promise<Document> {
  const result = await documentQueue(program).run(task, requester);
  if ("failure" in result)
    throw new Error(`the ${PROGRAMS[program]} failed`, { cause: new RemoteError(result.failure) });
  return result.document as Document;
}

/** Renders documents in such a process, one at a time. */
export function serveDocuments<Task>(render: (task: Task) => unknown): void {
  process.on("message", async (task: Task) => {
    let result: DocumentResult;
    try {
      result = { document: await render(task) };
    } catch (error) {
      result = { failure: serializeError(error) };
    }
    process.send?.(result);
  });
  // The process ends with the server, even if that is killed. Ctrl-C reaches the whole process group, but open requests may finish.
  process.on("disconnect", () => process.exit());
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
}
