// Help for staff: the staff guide, the glossary and what's new.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { news } from "@/components/help/messages/news";
import { terms } from "@/components/help/messages/terms";
import { findGuide, findStaffGuide, GUIDES, STAFF_GUIDES } from "@/lib/api/guides/queries";
import { inRoot } from "@/scripts/lib/paths.mjs";

const FOLDER = inRoot("docs/staff-guide");
const files = fs.readdirSync(FOLDER);

test("the staff guide lists each of its files, with the title of the file", async () => {
  expect(STAFF_GUIDES.map(({ slug }) => `${slug}.md`).sort()).toEqual([...files].sort());
  for (const { slug, title } of STAFF_GUIDES) expect((await findStaffGuide(slug))?.text).toMatch(`# ${title}\n`);
});

test("only listed guides are read", async () => {
  for (const slug of ["", "../guides/webhooks", "running", GUIDES[0]?.slug ?? ""])
    expect(await findStaffGuide(slug)).toBeNull();
  expect(await findGuide(STAFF_GUIDES[0]?.slug ?? "")).toBeNull();
});

test.each(files)("%s has the shape of a guide, and its links exist", (name) => {
  const text = fs.readFileSync(path.join(FOLDER, name), "utf8");
  expect(text).toMatch(/^# .+\n\nIn this guide you /);
  for (const part of ["## Prerequisites", "## Troubleshooting"]) expect(text).toContain(part);
  for (const [, link = ""] of text.matchAll(/\]\(([^)]+)\)/g)) expect(files).toContain(link);
});

test("the glossary is in alphabetical order, and the developers' glossary knows the same words", () => {
  const words: string[] = Object.values(terms);
  expect(words).toEqual([...words].sort((one, other) => one.localeCompare(other, "en")));
  const document = fs.readFileSync(inRoot("docs/glossary.md"), "utf8").toLowerCase();
  const missing = words.flatMap((term) => term.toLowerCase().split(", ")).filter((word) => !document.includes(word));
  expect(missing).toEqual([]);
});

test("what's new is dated and newest first, and each entry has its own title", () => {
  const dates = news.map(({ date }) => date);
  for (const date of dates) expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(dates).toEqual([...dates].sort().reverse());
  expect(new Set(news.map(({ title }) => title)).size).toBe(news.length);
});
