import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { z } from "zod";

export interface ReadPdf {
  /** The text of each page. */
  pages: string[];
  info: Record<string, unknown>;
  language: string | null;
}

const pdfInfo = z.looseObject({ Language: z.string().nullish() });

/** Reads a PDF document with a different library than the one that wrote it. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0 });
  const document = await task.promise;
  const pages: string[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    const texts = items.map((item) => ("str" in item ? item.str : ""));
    pages.push(texts.join(" ").replace(/\s+/g, " "));
  }
  const info = pdfInfo.parse((await document.getMetadata()).info);
  await task.destroy();
  return { pages, info, language: info.Language ?? null };
}
