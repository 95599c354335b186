import { notFound } from "next/navigation";
import { GoneError, NotFoundError } from "@/lib/errors";

/** The ids of a page's path; one that can't be an id names nothing. */
export function idsOf<K extends string>(params: Record<K, string>, ...names: K[]): Record<K, number> {
  const entries = names.map((name) => {
    if (!/^\d{1,15}$/.test(params[name])) notFound();
    return [name, Number(params[name])] as const;
  });
  return Object.fromEntries(entries) as Record<K, number>;
}

/** What a page shows; absent and foreign read the same, and null stands for what was deleted permanently. */
export async function readOrNotFound<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof GoneError) return null;
    if (error instanceof NotFoundError) notFound();
    throw error;
  }
}
