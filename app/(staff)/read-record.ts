import { notFound } from "next/navigation";
import { parseId } from "@/lib/access/endpoints/endpoint";
import { GoneError, NotFoundError } from "@/lib/platform/errors";

/** Reads the IDs in a page's path. Responds with 404 if one is not an ID. */
export function readIds<K extends string>(params: Record<K, string>, ...names: K[]): Record<K, number> {
  const entries = names.map((name) => [name, parseId(params[name]) ?? notFound()] as const);
  return Object.fromEntries(entries) as Record<K, number>;
}

/** Reads what a page shows. Responds with 404 if it does not exist, was deleted, or belongs to another practice. */
export async function readOrNotFound<T>(read: Promise<T>): Promise<T> {
  return (await readOrGone(read)) ?? notFound();
}

/**
 * Reads what a page shows, like `readOrNotFound`, but returns null for a permanently deleted record, so that the page can say
 * so.
 */
export async function readOrGone<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof GoneError) return null;
    if (error instanceof NotFoundError) notFound();
    throw error;
  }
}
