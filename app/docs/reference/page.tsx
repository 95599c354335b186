import type { Metadata } from "next";
import { headers } from "next/headers";
import { ApiReference } from "@/components/docs/api-reference";
import { reference as text } from "@/components/docs/messages";
import { findStaffAccess } from "@/lib/access/staff/access";
import { offersDemoToken } from "@/lib/api/demo/commands";
import type { PageParams } from "@/lib/platform/http/query";
import "./reference.css";
import "./snippets.css";

export const metadata: Metadata = { title: text.title };

export default async function Reference({ searchParams }: { searchParams: Promise<PageParams> }) {
  const { group } = await searchParams;
  const access = await findStaffAccess((await headers()).get("cookie"), "background");
  return (
    // The viewer renders the main landmark and the heading of the page.
    <div id="main" className="mx-auto w-full max-w-[1280px] px-4 pb-16">
      <link rel="stylesheet" href="/viewer/swagger-ui.css" precedence="viewer" />
      <ApiReference group={typeof group === "string" ? group : null} offersDemo={await offersDemoToken(access)} />
    </div>
  );
}
