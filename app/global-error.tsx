"use client";

import { ErrorPage } from "@/components/shell/error-page";
import { buttonClass } from "@/components/ui/button-class";
import "./globals.css";

/** Replaces the page if the root layout fails. It can't rely on anything else, and only a full reload recovers. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en" data-fonts="">
      <body>
        <title>This page couldn't load · Crosswalk</title>
        <main>
          <ErrorPage
            title="Crosswalk couldn't load"
            reference={error.digest}
            actions={
              <a href="/" className={buttonClass({ kind: "primary" })}>
                Reload
              </a>
            }
          >
            Something failed before the page was rendered. Everything you saved is safe. If reloading does not help,
            contact your Crosswalk administrator.
          </ErrorPage>
        </main>
      </body>
    </html>
  );
}
