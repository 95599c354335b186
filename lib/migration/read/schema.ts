import type { Columns } from "@/lib/migration/record/columns";
import type { StagedBatch } from "./stage-records";

// Messages between the reading thread and the process that started it.

/** The input of a reading thread. */
export interface ReaderTask {
  /** Path of a local file; null to request the bytes. */
  file: string | null;
  /** Bytes */
  size: number;
  columns: Columns | null;
  skip: number;
}

export type FromReader =
  | { kind: "batch"; batch: StagedBatch }
  /** Requests the next bytes of a stream. A new stream begins at `start`. */
  | { kind: "pull"; stream: number; start: number }
  /** Closes a stream. */
  | { kind: "leave"; stream: number }
  /** Reports progress while there is nothing to send. */
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
  /** Requests one more batch. */
  | { kind: "more" }
  /** Null at the end of the stream. */
  | { kind: "bytes"; stream: number; bytes: Uint8Array | null };
