import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { OverloadedError } from "@/lib/errors";
import { log } from "@/lib/log";
import type { ImageHeader } from "./image-header";

/**
 * `normalize`: decode every pixel and encode the image again, upright and without metadata. `prove`: decode every pixel and
 * keep nothing. `preview`: a small one in the image's own format.
 */
export type DecodeTask = "normalize" | "prove" | "preview";

export interface DecodeRequest {
  task: DecodeTask;
  bytes: Uint8Array;
  header: ImageHeader;
  maxPixels: number;
}

/** What came of an image; `damage` says why it can't be decoded. */
export type Decoded = { content: Buffer; width: number; height: number } | { damage: string };

const PROGRAM = "lib/storage/decoder.mjs";
/** The slowest image takes a few seconds of a core. */
const LIMIT_MS = 60_000;
/** Below the requests, which only wait for the database: on a busy machine images get what is left. */
const NICENESS = 5;

/** A process that decodes images one at a time. It keeps this process alive only while it decodes. */
export class DecoderProcess {
  readonly #child: ChildProcess;
  #ended = false;

  constructor() {
    // Asked for in a way that bundlers do not look into: they would try to resolve the program's path.
    const { fork } = process.getBuiltinModule("node:child_process");
    // Without the environment it has neither the key nor the database's password.
    const env = { NODE_ENV: "production" } as NodeJS.ProcessEnv;
    const options = { env, execArgv: [], serialization: "advanced" as const };
    this.#child = fork(findProgram(), [], { ...options, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#child.on("error", (err) => {
      this.#ended = true;
      log.error({ err }, "the image decoder could not be started or reached");
    });
    this.#child.once("exit", () => {
      this.#ended = true;
    });
    this.#lowerPriority();
    this.#holdProcess(false);
  }

  /** Whether it can decode no more. */
  get ended(): boolean {
    return this.#ended || !this.#child.connected;
  }

  /**
   * Decodes one image; the one before has to be done.
   *
   * @throws OverloadedError where the process could not be started, or the image took too long
   */
  async decode(request: DecodeRequest): Promise<Decoded> {
    this.#holdProcess(true);
    try {
      return await this.#ask(request);
    } finally {
      this.#holdProcess(false);
    }
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #ask(request: DecodeRequest): Promise<Decoded> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        child.kill("SIGKILL");
        this.#ended = true;
        settle(() => reject(new OverloadedError(new Error(`an image took more than ${LIMIT_MS} ms`), SLOW, BUSY)));
      }, LIMIT_MS);
      const onMessage = (answer: unknown) => settle(() => resolve(answer as Decoded));
      const onError = (error: Error) => settle(() => reject(new OverloadedError(error)));
      const onExit = (code: number | null, signal: string | null) => {
        log.warn(
          { code, signal, bytes: request.bytes.byteLength },
          "the image decoder ended while it decoded an image",
        );
        const cause = `the decoder ended with ${signal ?? code}`;
        if (signal && CRASHES.has(signal)) settle(() => resolve({ damage: cause }));
        else onError(new Error(cause));
      };
      const settle = (finish: () => void) => {
        clearTimeout(limit);
        child.off("message", onMessage).off("error", onError).off("exit", onExit);
        finish();
      };
      child.once("message", onMessage).once("error", onError).once("exit", onExit);
      child.send(request, (error) => error && onError(error));
    });
  }

  #holdProcess(isHeld: boolean): void {
    const { channel } = this.#child;
    if (isHeld) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }

  #lowerPriority(): void {
    try {
      // At once: the threads it starts from now on are as low.
      if (this.#child.pid) os.setPriority(this.#child.pid, NICENESS);
    } catch (err) {
      log.debug({ err }, "the image decoder keeps its priority");
    }
  }
}

/** How a process ends that an image has brought down. Any other end is not the image's fault: the caller may try again. */
const CRASHES = new Set(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"]);

const SLOW = "An image took too long to decode; nothing was changed. Try again shortly.";
const BUSY = { reason: "image_too_slow", retryAfterSeconds: 10 };

/** The program, from wherever this module was bundled to: it runs as it is, without a build. */
function findProgram(): string {
  for (let folder = import.meta.dirname; folder; folder = path.dirname(folder)) {
    const file = path.join(folder, PROGRAM);
    if (fs.existsSync(file)) return file;
    if (folder === path.dirname(folder)) break;
  }
  return path.resolve(PROGRAM);
}
