import fs from "node:fs/promises";
import path from "node:path";

export interface Guide {
  /** In the address: `/docs/guides/{slug}`, and the name of its file in `docs/guides`. */
  slug: string;
  title: string;
  /** What it is for, in a line. */
  summary: string;
}

/** The guides beside the reference, in the order they are read. */
export const GUIDES: readonly Guide[] = [
  { slug: "first-token", title: "A first token", summary: "From nothing to a first answer, in three calls." },
  { slug: "scopes", title: "Scopes", summary: "Tokens that open what their program needs, and nothing else." },
  { slug: "policies", title: "Policies in five calls", summary: "List, create, change, card image, history." },
  {
    slug: "migrating",
    title: "From legacy insurances to policies",
    summary: "Each old call beside the new one, step by step.",
  },
  { slug: "webhooks", title: "Webhooks", summary: "Subscribe, verify the signature, and what to do after downtime." },
  { slug: "errors", title: "Errors", summary: "Two shapes, and what each status asks of you." },
  { slug: "pagination", title: "Pagination", summary: "Cursors, counts, order and filters of lists." },
  { slug: "deprecation", title: "Deprecation dates", summary: "What ends, when, and how answers say so." },
  { slug: "rehearsing", title: "Rehearsing the deadline", summary: "See what the date will do before it comes." },
];

/** A guide with its text in Markdown, or null where there is none of that name. */
export async function findGuide(slug: string): Promise<(Guide & { text: string }) | null> {
  const guide = GUIDES.find((one) => one.slug === slug);
  if (!guide) return null;
  // The server runs in the project's folder, built or not.
  const text = await fs.readFile(path.join(process.cwd(), "docs/guides", `${guide.slug}.md`), "utf8");
  return { ...guide, text };
}
