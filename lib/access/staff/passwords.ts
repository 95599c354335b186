import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import os from "node:os";
import { promisify } from "node:util";
import { emptyQueue, WorkQueue } from "@/lib/platform/jobs/work-queue";
import { processWide } from "@/lib/platform/objects";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Cost, block size and parallelism that OWASP recommends for scrypt: 32 MiB and about 100 ms per password. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
let cost = COST;
const KEY_BYTES = 32;
const MAX_MEMORY = 128 * 1024 * 1024;

/** Sets the cost of new hashes, for tests that sign in many times. Without an argument, resets it. */
export function setHashCost(next: typeof COST = COST): void {
  cost = next;
}

/** Returns a hash that matches no password, so that an unknown email address takes as long as a wrong password. */
export function decoyHash(): string {
  return ["scrypt", cost.N, cost.r, cost.p, "A".repeat(22), "A".repeat(43)].join("$");
}

/** A parsed hash. Its stored form is `scrypt$N$r$p$salt$key`. */
interface StoredHash {
  cost: { N: number; r: number; p: number };
  salt: string;
  key: Buffer;
}

/**
 * Hashes a password. The hash includes salt and cost, so that the cost can be raised later.
 *
 * @param sibling hash of another account with the same email address. The new hash has the same salt, so that a sign-in tries its
 * password for all accounts at the cost of one, and its duration does not reveal how many there are (ADR 0112).
 */
export async function hashPassword(password: string, sibling: string | null = null): Promise<string> {
  const salt = saltBeside(sibling);
  return formatHash(salt, await keyOf(password, { cost, salt }, { bytes: KEY_BYTES, urgent: true }));
}

/**
 * Returns a hash that no password matches, without computing one. It looks like any other hash.
 *
 * @param sibling as for `hashPassword`
 */
export function randomHash(sibling: string | null): string {
  return formatHash(saltBeside(sibling), randomBytes(KEY_BYTES));
}

function saltBeside(sibling: string | null): string {
  const known = sibling === null ? null : parse(sibling);
  const isSameCost = known !== null && paramsOf(known) === paramsOf({ cost, salt: known.salt });
  return isSameCost ? known.salt : randomBytes(16).toString("base64url");
}

function formatHash(salt: string, key: Buffer): string {
  return ["scrypt", cost.N, cost.r, cost.p, salt, key.toString("base64url")].join("$");
}

/** Compares a password with a hash in constant time. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [matches] = await verifyPasswords(password, [hash]);
  return matches ?? false;
}

/**
 * Compares a password with several hashes. Hashes with the same salt and cost are computed once.
 *
 * @param urgent checks the password before others that wait
 * @throws QueueFullError if too many passwords wait
 */
export async function verifyPasswords(
  password: string,
  hashes: readonly string[],
  { urgent = false }: { urgent?: boolean } = {},
): Promise<boolean[]> {
  const keys = new Map<string, Promise<Buffer>>();
  return Promise.all(
    hashes.map(async (hash) => {
      const stored = parse(hash);
      if (!stored) return false;
      const params = paramsOf(stored);
      const key = keys.get(params) ?? keyOf(password, stored, { bytes: stored.key.length, urgent });
      keys.set(params, key);
      const given = await key;
      return given.length === stored.key.length && timingSafeEqual(given, stored.key);
    }),
  );
}

function parse(hash: string): StoredHash | null {
  const [kind, n, r, p, salt = "", key = ""] = hash.split("$");
  if (kind !== "scrypt") return null;
  return { cost: { N: Number(n), r: Number(r), p: Number(p) }, salt, key: Buffer.from(key, "base64url") };
}

function paramsOf({ cost, salt }: Pick<StoredHash, "cost" | "salt">): string {
  return [cost.N, cost.r, cost.p, salt].join("$");
}

function keyOf(
  password: string,
  { cost, salt }: Pick<StoredHash, "cost" | "salt">,
  { bytes, urgent }: { bytes: number; urgent: boolean },
): Promise<Buffer> {
  const options = { ...cost, maxmem: MAX_MEMORY };
  const key = () => derive(password.normalize("NFKC"), Buffer.from(salt, "base64url"), bytes, options);
  return hashing().run(key, { urgent });
}

/** Each password takes about 100 ms of a core, so the last one waits about 3 s, or longer on a busy machine. */
const MAX_WAITING = 30;
const MAX_WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

let queue: WorkQueue | undefined;

/**
 * Returns the queue that limits concurrent hashes. Each occupies a core and one of libuv's four threads, which also read files and
 * resolve names. The API's bundle and Next's have their own copies of this module, so they share the state of the queue.
 */
export function hashing(): WorkQueue {
  const limits = { waiting: MAX_WAITING, waitMs: MAX_WAIT_MS, retryAfterSeconds: RETRY_AFTER_SECONDS };
  const shared = processWide("crosswalkHashes", emptyQueue);
  queue ??= new WorkQueue({ concurrency: os.availableParallelism() > 2 ? 2 : 1, ...limits }, shared);
  return queue;
}
