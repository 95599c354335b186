import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Cost, block size and parallelism (OWASP's choice for scrypt): 32 MiB and about 100 ms a password. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const MAX_MEMORY = 128 * 1024 * 1024;

/** A password's hash, with its salt and cost, so that the cost can rise later: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password.normalize("NFKC"), salt, KEY_BYTES, { ...COST, maxmem: MAX_MEMORY });
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/** Whether a password has this hash, compared in constant time. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [kind, n, r, p, salt = "", key = ""] = hash.split("$");
  if (kind !== "scrypt") return false;
  const expected = Buffer.from(key, "base64url");
  const cost = { N: Number(n), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const given = await derive(password.normalize("NFKC"), Buffer.from(salt, "base64url"), expected.length, cost);
  return timingSafeEqual(given, expected);
}
