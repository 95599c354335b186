import { RateLimiterPostgres } from "rate-limiter-flexible";
import { config } from "@/lib/config";
import { pool } from "@/lib/db/pool";
import { sign } from "@/lib/signing";

const THROTTLE_SECONDS = 900;
let tries: RateLimiterPostgres | undefined;

/** Whose tries are counted: one account, from one address. */
interface Trier {
  email: string;
  address: string | null;
}

/**
 * Counts one try of a password, in the database: all processes count together, and a restart forgets nothing.
 *
 * @returns whether it may be checked
 */
export async function countTry(trier: Trier): Promise<boolean> {
  return limiter()
    .consume(keyOf(trier))
    .then(
      () => true,
      (rejection: unknown) => {
        if (rejection instanceof Error) throw rejection;
        return false;
      },
    );
}

/** Forgets the tries before the right one. */
export async function forgetTries(trier: Trier): Promise<void> {
  await limiter().delete(keyOf(trier));
}

function limiter(): RateLimiterPostgres {
  tries ??= new RateLimiterPostgres({
    storeClient: pool(),
    storeType: "pool",
    tableName: "wrong_password",
    tableCreated: true,
    keyPrefix: "",
    points: config().WRONG_PASSWORD_LIMIT,
    duration: THROTTLE_SECONDS,
  });
  return tries;
}

/** Neither what somebody typed nor where they sit is kept. */
function keyOf({ email, address }: Trier): string {
  return sign("wrong-password", `${email} ${address ?? ""}`);
}
