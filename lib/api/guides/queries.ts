import fs from "node:fs/promises";
import path from "node:path";

export interface Guide {
  /** The last part of the URL `/docs/guides/{slug}`, and the name of the file in `docs/guides`. */
  slug: string;
  title: string;
  /** A summary in one line. */
  summary: string;
}

/** The guides for API developers, in reading order. */
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

/** Reads a guide with its text in Markdown. Returns null for an unknown slug. */
export async function findGuide(slug: string): Promise<(Guide & { text: string }) | null> {
  const guide = GUIDES.find((one) => one.slug === slug);
  if (!guide) return null;
  // The server always runs in the project's folder.
  const text = await fs.readFile(path.join(process.cwd(), "docs/guides", `${guide.slug}.md`), "utf8");
  return { ...guide, text };
}
