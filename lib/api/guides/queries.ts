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

/** The guides for front desk and billing staff, in reading order. Their files are in `docs/staff-guide`. */
export const STAFF_GUIDES: readonly Guide[] = [
  { slug: "find-a-patient", title: "Find a patient", summary: "Search by name, date of birth, phone or member ID." },
  {
    slug: "verify-coverage",
    title: "Read and verify coverage",
    summary: "See what a patient has on file today, check it against the card, and ask the payer.",
  },
  {
    slug: "change-a-policy",
    title: "Add or change a policy",
    summary: "Enter new insurance, edit a policy, archive it or restore it.",
  },
  { slug: "change-ranks", title: "Change the order of payers", summary: "Swap primary, secondary and tertiary." },
  { slug: "card-images", title: "Add card images", summary: "Take or upload pictures of the front and back." },
  {
    slug: "legacy-review",
    title: "Review legacy insurance",
    summary: "Edit the insurance in the patient record while Insurance Versioning is off.",
  },
  {
    slug: "migration-corrections",
    title: "Correct records during the migration",
    summary: "Work through your assigned findings: correct, accept, skip or assign.",
  },
];

type GuideText = Guide & { text: string };

/** Reads a guide for API developers with its text in Markdown. Returns null for an unknown slug. */
export async function findGuide(slug: string): Promise<GuideText | null> {
  return readGuide(GUIDES, "docs/guides", slug);
}

/** Reads a guide for staff with its text in Markdown. Returns null for an unknown slug. */
export async function findStaffGuide(slug: string): Promise<GuideText | null> {
  return readGuide(STAFF_GUIDES, "docs/staff-guide", slug);
}

async function readGuide(guides: readonly Guide[], folder: string, slug: string): Promise<GuideText | null> {
  const guide = guides.find((one) => one.slug === slug);
  if (!guide) return null;
  // The server always runs in the project's folder.
  const text = await fs.readFile(path.join(process.cwd(), folder, `${guide.slug}.md`), "utf8");
  return { ...guide, text };
}
