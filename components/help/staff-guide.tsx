import Link from "next/link";
import { Markdown } from "@/components/docs/markdown";
import type { Guide } from "@/lib/api/guides/queries";
import { helpPage as text } from "./messages/help";

interface StaffGuideProps {
  practice: number;
  guides: readonly Guide[];
  open: Guide & { text: string };
}

/** Shows a page of the staff guide, with links to the others. */
export function StaffGuide({ practice, guides, open }: StaffGuideProps) {
  const base = `/practices/${practice}/help`;
  return (
    <>
      <nav aria-label={text.breadcrumb} className="text-soft mb-3 text-sm">
        <Link href={base} className="hover:text-ink inline-flex min-h-6 items-center hover:underline">
          {text.title}
        </Link>
      </nav>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_220px]">
        <article className="min-w-0">
          <Markdown text={open.text} base={base} />
        </article>
        <nav aria-label={text.nav} className="screen-only border-line max-lg:border-t max-lg:pt-4">
          <ul className="sticky top-6 space-y-0.5">
            {guides.map(({ slug, title }) => (
              <li key={slug}>
                <Link
                  href={`${base}/${slug}`}
                  aria-current={slug === open.slug ? "page" : undefined}
                  className="text-soft hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent-strong flex min-h-8 items-center rounded-md px-2 py-1 aria-[current]:font-medium"
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </>
  );
}
