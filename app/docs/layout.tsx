import type { Metadata } from "next";
import type { ReactNode } from "react";
import { DocsFrame } from "@/components/docs/docs-frame";
import { docsPage } from "@/components/docs/messages";

export const metadata: Metadata = { title: { default: docsPage.title, template: docsPage.titles } };

export default function DocsLayout({ children }: { children: ReactNode }) {
  return <DocsFrame>{children}</DocsFrame>;
}
