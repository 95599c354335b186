import Link from "next/link";
import type { Guide } from "@/lib/api/guides/queries";
import { docsPage } from "./messages";

/** Shows the navigation between guides. */
export function GuideNav({ guides, open }: { guides: readonly Guide[]; open: string }) {
  return (
    <nav aria-label={docsPage.guides} className="max-md:hidden">
      <ul className="sticky top-16 space-y-0.5">
        {guides.map(({ slug, title }) => (
          <li key={slug}>
            <Link
              href={`/docs/guides/${slug}`}
              aria-current={slug === open ? "page" : undefined}
              className="text-soft hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent-strong flex min-h-8 items-center rounded-md px-2 py-1 aria-[current]:font-medium"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Shows the guides with their summaries. */
export function GuideCards({ guides }: { guides: readonly Guide[] }) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {guides.map(({ slug, title, summary }) => (
        <li key={slug}>
          <Link
            href={`/docs/guides/${slug}`}
            className="border-line bg-raised hover:border-edge block h-full rounded-md border p-4"
          >
            <span className="font-medium">{title}</span>
            <span className="text-soft mt-1 block">{summary}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
