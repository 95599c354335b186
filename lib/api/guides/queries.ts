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
  { slug: "first-token", title: "Get your first token", summary: "Request an access token and call the API." },
  { slug: "scopes", title: "Limit a token with scopes", summary: "Request only the access your program needs." },
  {
    slug: "policies",
    title: "Manage policies",
    summary: "List, create and update policies, upload card images and read the version history.",
  },
  {
    slug: "migrating",
    title: "Migrate from legacy insurances",
    summary: "Replace each legacy call with the new one, step by step.",
  },
  {
    slug: "webhooks",
    title: "Receive webhooks",
    summary: "Subscribe, verify signatures, report results and catch up after downtime.",
  },
  { slug: "errors", title: "Errors", summary: "Both shapes of errors, and what to do for each status." },
  { slug: "pagination", title: "Pagination", summary: "Page through lists, sort them and filter them." },
  {
    slug: "deprecation",
    title: "Deprecation dates",
    summary: "What is deprecated, when, and how responses announce it.",
  },
  { slug: "rehearsing", title: "Rehearse the deadline", summary: "See what the deadline will break before it comes." },
  { slug: "typed-client", title: "Generate a typed client", summary: "A TypeScript client from the OpenAPI document." },
];

/** A guide with its text in Markdown, or null where there is none of that name. */
export async function findGuide(slug: string): Promise<(Guide & { text: string }) | null> {
  const guide = GUIDES.find((one) => one.slug === slug);
  if (!guide) return null;
  // The server runs in the project's folder, built or not.
  const text = await fs.readFile(path.join(process.cwd(), "docs/guides", `${guide.slug}.md`), "utf8");
  return { ...guide, text };
}
