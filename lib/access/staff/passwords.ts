import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import os from "node:os";
import { promisify } from "node:util";
import { emptyQueue, WorkQueue } from "@/lib/platform/jobs/work-queue";
import { processWide } from "@/lib/platform/objects";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Cost, block size and parallelism (OWASP's choice for scrypt): 32 MiB and about 100 ms a password. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
let cost = COST;
const KEY_BYTES = 32;
const MAX_MEMORY = 128 * 1024 * 1024;

/** Changes what a new hash costs, for tests that sign in many times; without an argument puts the cost back. */
export function setHashCost(next: typeof COST = COST): void {
  cost = next;
}

/** Has the cost of a real hash, and no password: an unknown e-mail address must take as long as a wrong password. */
export function decoyHash(): string {
  return ["scrypt", cost.N, cost.r, cost.p, "A".repeat(22), "A".repeat(43)].join("$");
}

/** The form a hash is kept in: `scrypt$N$r$p$salt$key`. */
interface Kept {
  cost: { N: number; r: number; p: number };
  salt: string;
  key: Buffer;
}

/**
 * A password's hash, with its salt and cost, so that the cost can rise later.
 *
 * @param sibling hash of another account with the same e-mail address: its salt is used again, so that a sign-in tries one
 * password for all of them at the cost of one, and its time does not tell how many there are (ADR 0112)
 */
export async function hashPassword(password: string, sibling: string | null = null): Promise<string> {
  const known = sibling === null ? null : parse(sibling);
  const isSameCost = known !== null && paramsOf(known) === paramsOf({ cost, salt: known.salt });
  const salt = isSameCost ? known.salt : randomBytes(16).toString("base64url");
  const key = await keyOf(password, { cost, salt }, { bytes: KEY_BYTES, urgent: true });
  return ["scrypt", cost.N, cost.r, cost.p, salt, key.toString("base64url")].join("$");
}

/** Whether a password has this hash, compared in constant time. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [matches] = await verifyPasswords(password, [hash]);
  return matches ?? false;
}

/**
 * The same for several hashes: those with the same salt and cost are tried at once.
 *
 * @param urgent checks the password before those that are not
 * @throws QueueFullError where too many passwords wait to be checked
 */
export async function verifyPasswords(
  password: string,
  hashes: readonly string[],
  { urgent = false }: { urgent?: boolean } = {},
): Promise<boolean[]> {
  const keys = new Map<string, Promise<Buffer>>();
  return Promise.all(
    hashes.map(async (hash) => {
      const kept = parse(hash);
      if (!kept) return false;
      const params = paramsOf(kept);
      const key = keys.get(params) ?? keyOf(password, kept, { bytes: kept.key.length, urgent });
      keys.set(params, key);
      const given = await key;
      return given.length === kept.key.length && timingSafeEqual(given, kept.key);
    }),
  );
}

function parse(hash: string): Kept | null {
  const [kind, n, r, p, salt = "", key = ""] = hash.split("$");
  if (kind !== "scrypt") return null;
  return { cost: { N: Number(n), r: Number(r), p: Number(p) }, salt, key: Buffer.from(key, "base64url") };
}

function paramsOf({ cost, salt }: Pick<Kept, "cost" | "salt">): string {
  return [cost.N, cost.r, cost.p, salt].join("$");
}

function keyOf(
  password: string,
  { cost, salt }: Pick<Kept, "cost" | "salt">,
  { bytes, urgent }: { bytes: number; urgent: boolean },
): Promise<Buffer> {
  const options = { ...cost, maxmem: MAX_MEMORY };
  const key = () => derive(password.normalize("NFKC"), Buffer.from(salt, "base64url"), bytes, options);
  return hashing().run(key, { urgent });
}

/** Each waiting password takes about 100 ms of a core: the last in line waits some three seconds, on a busy machine longer. */
const WAITING = 30;
const WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

let queue: WorkQueue | undefined;

/**
 * The hashes of this process. Each occupies a thread of libuv's pool of four, which also reads files and looks up names, and a
 * core. The API's bundle and Next's each have their own copy of this module: what is running is shared.
 */
export function hashing(): WorkQueue {
  const limits = { waiting: WAITING, waitMs: WAIT_MS, retryAfterSeconds: RETRY_AFTER_SECONDS };
  const shared = processWide("crosswalkHashes", emptyQueue);
  queue ??= new WorkQueue({ concurrency: os.availableParallelism() > 2 ? 2 : 1, ...limits }, shared);
  return queue;
}
