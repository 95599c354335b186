// The layout of PDF documents: splitting text loses nothing, and what belongs together stays on one page.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderPdf } from "@/lib/api/documents/pdf/render";
import type { Block } from "@/lib/api/documents/pdf/schema";
import { splitText, toPrintable } from "@/lib/api/documents/pdf/text";
import { readPdf } from "../support/pdf";
import { rounds } from "../support/rounds";

async function readPages(blocks: Block[]): Promise<string[]> {
  const patient = [{ label: "Patient", text: "Ann Lee" }];
  const about = { title: "Visit summary", letterhead: ["Northside"], patientName: "Ann Lee", patient };
  const bytes = await renderPdf({ ...about, blocks, signature: "Not signed", createdAt: "2025-01-01T12:00:00Z" });
  return (await readPdf(bytes)).pages;
}

const withoutBreaks = (text: string) => text.replace(/[\s\u200b]/g, "");

describe("splitting text", () => {
  const pieces = fc.constantFrom(
    "a",
    " ",
    "\n",
    "word ",
    "W".repeat(150),
    "\t- ",
    "é",
    "🩺",
    "x".repeat(101),
    " ".repeat(120),
  );
  const texts = fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join(""));

  test("keeps every letter and respects the line width", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 60, max: 500 }), (text, maxLines, width) => {
        const parts = [...splitText(text, { style: "body", width }, maxLines)];
        const joined = parts.map((part) => part.text).join("");
        expect(withoutBreaks(joined)).toBe(withoutBreaks(toPrintable(text)));
        expect(parts.every(({ lines }) => lines >= 1 && lines <= maxLines)).toBe(true);
      }),
      { numRuns: rounds(100) },
    );
  });

  test("breaks at line ends first, then at spaces, then within words", () => {
    const split = (text: string) => [...splitText(text, { style: "body", width: 100 }, 4)].map((part) => part.text);
    expect(split("one\ntwo\nthree\nfour\nfive\nsix")).toEqual(["one\ntwo\nthree\nfour", "five\nsix"]);
    const atSpaces = split("some words ".repeat(10));
    expect(atSpaces.length).toBeGreaterThan(1);
    for (const part of atSpaces) expect(part).toMatch(/ $/);
  });
});

describe("a page", () => {
  test("does not end with a heading", async () => {
    for (let lines = 36; lines < 46; lines++) {
      const text = Array.from({ length: lines }, (_, line) => `Line ${line}`).join("\n");
      const blocks: Block[] = [
        { kind: "paragraph", text },
        { kind: "heading", text: "Assessment" },
        { kind: "paragraph", text: "Well" },
      ];
      const pages = await readPages(blocks);
      const withHeading = pages.filter((page) => page.includes("Assessment"));
      expect(withHeading.map((page) => page.includes("Well"))).toEqual([true]);
    }
  });

  test("does not split short table rows", async () => {
    const columns = [
      { title: "Test", share: 50 },
      { title: "Result", share: 50 },
    ];
    const rows = Array.from({ length: 60 }, (_, row) => ({ cells: [`First ${row}.\nSecond ${row}.`, "1"] }));
    const pages = await readPages([{ kind: "table", columns, rows }]);
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages)
      for (let row = 0; row < 60; row++) expect(page.includes(`First ${row}.`)).toBe(page.includes(`Second ${row}.`));
  });
});

test("content that fills 100 pages has no notice; one more line adds one", async () => {
  const lines = (count: number): Block[] => Array.from({ length: count }, () => ({ kind: "paragraph", text: "line" }));
  const countLines = (page = "") => page.match(/line/g)?.length ?? 0;
  const [first, second] = (await readPages(lines(200))).map(countLines);
  const fitting = (first ?? 0) + 99 * (second ?? 0);
  for (const [count, isCut] of [
    [fitting, false],
    [fitting + 1, true],
  ] as const) {
    const pages = await readPages(lines(count));
    expect(pages).toHaveLength(101);
    expect(pages.map((page) => page.includes("is not printed")).indexOf(true)).toBe(isCut ? 100 : -1);
    expect(pages[100]).toContain("Not signed");
  }
});
