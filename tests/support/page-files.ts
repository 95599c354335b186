// The pages of the app, by their files.
import fs from "node:fs";
import path from "node:path";
import { inRoot } from "@/scripts/lib/paths.mjs";

interface PageFile {
  file: string;
  /** Its path below the folder, without route groups: `practices/[practice]/settings/members`. */
  page: string;
}

/** Lists the files of pages below a folder of the project. */
export function listPageFiles(folder: string): PageFile[] {
  return fs
    .readdirSync(inRoot(folder), { recursive: true, encoding: "utf8" })
    .filter((file) => path.basename(file) === "page.tsx")
    .map((file) => {
      const folders = path.dirname(file).split(path.sep);
      return { file: path.join(inRoot(folder), file), page: folders.filter((name) => !name.startsWith("(")).join("/") };
    });
}
