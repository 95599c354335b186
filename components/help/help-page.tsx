import Link from "next/link";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import type { Guide } from "@/lib/api/guides/queries";
import { helpPage as text } from "./messages/help";

interface HelpPageProps {
  practice: number;
  isAdmin: boolean;
  guides: readonly Guide[];
}

/** Shows the staff guide, and links to the other help. */
export function HelpPage({ practice, isAdmin, guides }: HelpPageProps) {
  const base = `/practices/${practice}/help`;
  return (
    <>
      <PageHeader title={text.title} meta={text.lead} />
      <Section title={text.guides}>
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {guides.map(({ slug, title, summary }) => (
            <HelpCard key={slug} href={`${base}/${slug}`} title={title} summary={summary} />
          ))}
        </ul>
      </Section>
      <Section title={text.more}>
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          <HelpCard href={`${base}/glossary`} {...text.glossary} />
          <HelpCard href={`${base}/news`} {...text.news} />
          {isAdmin && <HelpCard href="/docs" {...text.docs} />}
        </ul>
      </Section>
    </>
  );
}

function HelpCard({ href, title, summary }: { href: string; title: string; summary: string }) {
  return (
    <li>
      <Link href={href} className="border-line bg-raised hover:border-edge block h-full rounded-md border p-4">
        <span className="font-medium">{title}</span>
        <span className="text-soft mt-1 block">{summary}</span>
      </Link>
    </li>
  );
}
