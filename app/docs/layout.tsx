import type { Metadata } from "next";
import type { ReactNode } from "react";
import { DocsFrame } from "@/components/docs/docs-frame";

export const metadata: Metadata = { title: { default: "API documentation", template: "%s · Crosswalk API" } };

export default function DocsLayout({ children }: { children: ReactNode }) {
  return <DocsFrame>{children}</DocsFrame>;
}
