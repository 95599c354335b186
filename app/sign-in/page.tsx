import type { Metadata } from "next";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { developersNote } from "@/components/docs/messages";
import { signInForm as text } from "@/components/session/messages";
import { OpenIdButton } from "@/components/session/open-id-button";
import { SignInPanel } from "@/components/session/sign-in-panel";
import { product } from "@/components/shell/messages/errors";
import { findStaffAccess } from "@/lib/access/staff/access";
import { config } from "@/lib/platform/config";
import type { PageParams } from "@/lib/platform/http/query";
import { ownPath } from "./own-path";

export const metadata: Metadata = { title: text.title };

export default async function SignIn({ searchParams }: { searchParams: Promise<PageParams> }) {
  const { to, error } = await searchParams;
  const target = ownPath(to);
  if (await findStaffAccess((await headers()).get("cookie"), "person")) redirect(target);
  const { OIDC_ISSUER, OIDC_NAME } = config();
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-4 px-4 py-12">
      <header>
        <p className="text-accent font-semibold">{product.name}</p>
        <h1 className="text-lg font-semibold">{text.title}</h1>
      </header>
      <SignInPanel to={target} error={typeof error === "string" ? error : undefined} />
      {OIDC_ISSUER && <OpenIdButton name={OIDC_NAME} to={target} />}
      <p className="text-soft text-sm">
        {developersNote((words) => (
          <a href="/docs" className="text-accent underline underline-offset-2">
            {words}
          </a>
        ))}
      </p>
    </main>
  );
}
