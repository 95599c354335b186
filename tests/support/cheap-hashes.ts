import { setHashCost } from "@/lib/staff/passwords";

/** A password's hash takes 100 ms of a core on purpose, which only its own tests are about. */
export const hashCheaply = () => setHashCost({ N: 2 ** 10, r: 8, p: 1 });
