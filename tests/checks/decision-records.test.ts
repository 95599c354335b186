// Decision records have a common form, and their index lists each of them.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const FOLDER = "docs/adr";
const MAX_LINES = 46;

const read = (file: string) => fs.readFileSync(path.join(FOLDER, file), "utf8");
const records = fs.readdirSync(FOLDER).filter((file) => /^\d{4}-.*\.md$/.test(file));

/** Lists the files that a document links to, and the source files that it names. */
function namedFiles(text: string, folder: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => path.join(folder, target));
  const names = [...text.matchAll(/`((?:app|components|docs|lib|prisma|scripts|tests)\/[\w./-]+)`/g)];
  return [...links, ...names.map(([, name = ""]) => name)];
}

test("the index lists every record with its title", () => {
  const listed = [...read("README.md").matchAll(/^\| (\d{4}) \| \[([^\]]+)\]\(([^)]+)\)/gm)];
  expect(listed.map(([, number, title, file]) => `${file}: # ${number} ${title}`).sort()).toEqual(
    records.map((file) => `${file}: ${read(file).split("\n")[0]}`).sort(),
  );
});

describe.each(records)("%s", (file) => {
  test("has the sections of the template, on one page", () => {
    const sections = [...read(file).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections).toEqual(["Context", "Decision", "Consequences"]);
    expect(read(file).split("\n").length).toBeLessThanOrEqual(MAX_LINES);
  });
});

const OTHERS = ["../dependencies.md", "../../ARCHITECTURE.md", "../../CONTRIBUTING.md", "../../README.md"];

test.each(["README.md", ...records, ...OTHERS])("files that %s names exist", (file) => {
  // The recipes of CONTRIBUTING.md create files.
  const text = read(file).replaceAll(/^\d\. Create `[^`]+`/gm, "");
  const missing = namedFiles(text, path.join(FOLDER, path.dirname(file))).filter((name) => !fs.existsSync(name));
  expect(missing).toEqual([]);
});
