const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Suffix of files that are still being written. They have no key, but are listed and deleted like images. */
export const DRAFT_SUFFIX = ".part";

/** A key that no image has, because keys are random. */
export const ABSENT_KEY = "00000000-0000-0000-0000-000000000000";

/** Returns whether a name is the key of an image. Other objects in a store are ignored. */
export function isImageKey(name: string): boolean {
  return KEY.test(name);
}

/** Returns whether a name belongs to an unfinished file, which a killed writer leaves behind. */
export function isDraft(name: string): boolean {
  return name.endsWith(DRAFT_SUFFIX) && isImageKey(name.slice(0, -DRAFT_SUFFIX.length));
}

/** @throws RangeError if this is not a key, because no other name may become part of a path or URL */
export function requireImageKey(key: string): void {
  if (!isImageKey(key)) throw new RangeError("not an image key");
}
