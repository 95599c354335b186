// Decision records have one form, and their index lists each of them.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const FOLDER = "docs/adr";
const MAX_LINES = 46;

const read = (file: string) => fs.readFileSync(path.join(FOLDER, file), "utf8");
const records = fs.readdirSync(FOLDER).filter((file) => /^\d{4}-.*\.md$/.test(file));

/** The targets of a document's relative links to files. */
function linkedFiles(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
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

test.each(["README.md", ...records, "../dependencies.md"])("links of %s lead to files", (file) => {
  for (const target of linkedFiles(read(file))) {
    expect(fs.existsSync(path.join(FOLDER, path.dirname(file), target)), target).toBe(true);
  }
});
