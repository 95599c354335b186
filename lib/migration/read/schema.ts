import type { Columns } from "@/lib/migration/record/columns";
import type { StagedBatch } from "./stage-records";

// What the reading thread and the process that started it say to each other.

/** What a reading thread is started with. */
export interface ReaderTask {
  /** A file of this machine; null: its bytes are asked for. */
  file: string | null;
  /** Bytes */
  size: number;
  columns: Columns | null;
  skip: number;
}

export type FromReader =
  | { kind: "batch"; batch: StagedBatch }
  /** Asks for the next bytes of a stream; one that is new begins at `start`. */
  | { kind: "pull"; stream: number; start: number }
  /** A stream is not read on. */
  | { kind: "leave"; stream: number }
  /** Still makes progress, with nothing to send yet. */
  | { kind: "reading" }
  | { kind: "done" }
  /**
   * The file as a whole can't be read: `rule` where the user can do something about it; `system` where the machine failed: code,
   * path and the like, which errors lose between threads.
   */
  | {
      kind: "failed";
      rule: { reason: string; message: string } | null;
      system: Record<string, unknown> | null;
      message: string;
    };

export type ToReader =
  /** One more batch is wanted. */
  | { kind: "more" }
  /** null: the stream has ended. */
  | { kind: "bytes"; stream: number; bytes: Uint8Array | null };
