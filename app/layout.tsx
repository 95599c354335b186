import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Appearance } from "@/components/shell/appearance";
import { showKnownFonts } from "@/components/shell/fonts";
import { InlineScript } from "@/components/shell/inline-script";
import { keepEarlyInput } from "@/components/shell/keep-early-input";
import { product } from "@/components/shell/messages/errors";
import { PageReady } from "@/components/shell/page-ready";
import "./globals.css";
// React needs the code of error pages to hydrate the layout. Importing them here bundles it with the layout's code.
import "./error";
import "./global-error";

export const metadata: Metadata = {
  title: { default: product.name, template: product.titles },
  description: product.description,
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fafafa" },
    { media: "(prefers-color-scheme: dark)", color: "#0c0c0e" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <InlineScript nonce={nonce} run={showKnownFonts} />
        <InlineScript nonce={nonce} run={keepEarlyInput} />
        <Appearance nonce={nonce}>{children}</Appearance>
        <PageReady />
      </body>
    </html>
  );
}
