"use client";

import { ErrorPage } from "@/components/shell/error-page";
import { globalError as text } from "@/components/shell/messages/errors";
import { buttonClass } from "@/components/ui/button-class";
import "./globals.css";

/** Replaces the page if the root layout fails. It can't rely on anything else, and only a full reload recovers. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en" data-fonts="">
      <body>
        <title>{text.documentTitle}</title>
        <main>
          <ErrorPage
            title={text.title}
            reference={error.digest}
            actions={
              <a href="/" className={buttonClass({ kind: "primary" })}>
                {text.reload}
              </a>
            }
          >
            {text.detail}
          </ErrorPage>
        </main>
      </body>
    </html>
  );
}
