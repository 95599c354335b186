import type { Metadata } from "next";
import { ApiReference } from "@/components/docs/api-reference";
import type { PageParams } from "@/lib/platform/http/query";
import "./reference.css";

export const metadata: Metadata = { title: "Reference" };

export default async function Reference({ searchParams }: { searchParams: Promise<PageParams> }) {
  const { group } = await searchParams;
  return (
    <main id="main" className="mx-auto w-full max-w-[1280px] px-4 pb-16">
      <link rel="stylesheet" href="/viewer/swagger-ui.css" precedence="viewer" />
      <h1 className="sr-only">Reference</h1>
      <ApiReference group={typeof group === "string" ? group : null} />
    </main>
  );
}
