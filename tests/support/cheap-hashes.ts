import { setHashCost } from "@/lib/access/staff/passwords";

/** Makes password hashes cheap. The real ones take 100 ms of CPU on purpose, which slows down unrelated tests. */
export const hashCheaply = () => setHashCost({ N: 2 ** 10, r: 8, p: 1 });
