import { notFound } from "next/navigation";
import { idOf } from "@/lib/access/endpoints/endpoint";
import { GoneError, NotFoundError } from "@/lib/platform/errors";

/** The ids of a page's path; one that can't be an id names nothing. */
export function idsOf<K extends string>(params: Record<K, string>, ...names: K[]): Record<K, number> {
  const entries = names.map((name) => [name, idOf(params[name]) ?? notFound()] as const);
  return Object.fromEntries(entries) as Record<K, number>;
}

/** What a page shows; absent, foreign and deleted read the same. */
export async function readOrNotFound<T>(read: Promise<T>): Promise<T> {
  return (await readOrGone(read)) ?? notFound();
}

/** The same for a page that says of a record that it was deleted permanently: null. */
export async function readOrGone<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof GoneError) return null;
    if (error instanceof NotFoundError) notFound();
    throw error;
  }
}
