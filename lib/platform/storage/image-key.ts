const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Ends the name of bytes that are still being written: no key of an image, but listed and deleted like one. */
export const DRAFT = ".part";

/** Whether a name in a store is the key of an image: whatever else lies there is not ours. */
export function isImageKey(name: string): boolean {
  return KEY.test(name);
}

/** Whether a name is what a writer that was killed left of an image. */
export function isDraft(name: string): boolean {
  return name.endsWith(DRAFT) && isImageKey(name.slice(0, -DRAFT.length));
}

/** @throws RangeError where this is no key: a name of anything else must never reach a path or an address */
export function requireImageKey(key: string): void {
  if (!isImageKey(key)) throw new RangeError("not an image key");
}
