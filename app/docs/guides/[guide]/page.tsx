import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { GuideNav } from "@/components/docs/guide-list";
import { Markdown } from "@/components/docs/markdown";
import { docsPage } from "@/components/docs/messages";
import { findGuide, GUIDES } from "@/lib/api/guides/queries";

type Params = { params: Promise<{ guide: string }> };

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  const guide = await findGuide((await params).guide);
  return { title: guide?.title ?? docsPage.notFound };
}

export default async function GuidePage({ params }: Params) {
  const guide = await findGuide((await params).guide);
  if (!guide) notFound();
  return (
    <div className="mx-auto grid w-full max-w-[1100px] gap-8 px-4 py-8 md:grid-cols-[220px_minmax(0,1fr)]">
      <GuideNav guides={GUIDES} open={guide.slug} />
      <main id="main" className="min-w-0">
        <nav aria-label={docsPage.breadcrumb} className="text-soft mb-2 text-sm">
          <Link href="/docs" className="hover:text-ink inline-flex min-h-6 items-center hover:underline">
            {docsPage.title}
          </Link>
        </nav>
        <Markdown text={guide.text} base="/docs/guides" />
      </main>
    </div>
  );
}
