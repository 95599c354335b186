// Fetches libfaketime, which gives a process another clock.
import fs from "node:fs";
import path from "node:path";
import { libraryFolders, prepareTool, unpackPackages } from "../../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../../scripts/lib/paths.mjs";

const HOME = inRoot(".data/test-faketime");

/** Returns the library, or null if it is not available. */
export function findFaketime() {
  const files = libraryFolders(path.join(HOME, "root")).map((folder) =>
    path.join(folder, "faketime/libfaketimeMT.so.1"),
  );
  return files.find((file) => fs.existsSync(file)) ?? null;
}

/**
 * Fetches libfaketime unless it is available.
 * @returns {Promise<string | null>} why it is not available, or null
 */
export function prepareFaketime() {
  return prepareTool(HOME, {
    title: "Fetching libfaketime",
    isAvailable: () => findFaketime() !== null,
    fetch: () => unpackPackages(HOME, ["libfaketime"], "libfaketime"),
  });
}
