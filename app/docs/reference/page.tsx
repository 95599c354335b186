import type { Metadata } from "next";
import { ApiReference } from "@/components/docs/api-reference";
import { reference as text } from "@/components/docs/messages";
import { hasDemo } from "@/lib/api/demo/commands";
import type { PageParams } from "@/lib/platform/http/query";
import "./reference.css";

export const metadata: Metadata = { title: text.title };

export default async function Reference({ searchParams }: { searchParams: Promise<PageParams> }) {
  const { group } = await searchParams;
  return (
    // The viewer renders the main landmark and the heading of the page.
    <div id="main" className="mx-auto w-full max-w-[1280px] px-4 pb-16">
      <link rel="stylesheet" href="/viewer/swagger-ui.css" precedence="viewer" />
      <ApiReference group={typeof group === "string" ? group : null} offersDemo={await hasDemo()} />
    </div>
  );
}
