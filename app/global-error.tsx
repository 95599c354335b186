"use client";

import { ErrorPage } from "@/components/shell/error-page";
import { buttonClass } from "@/components/ui/button-class";
import "./globals.css";

/** Where even the frame failed: it can rely on nothing but itself, and a whole load is the way out. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body>
        <title>This page could not be shown · Crosswalk</title>
        <main>
          <ErrorPage
            title="Crosswalk could not be shown"
            reference={error.digest}
            actions={
              <a href="/" className={buttonClass({ kind: "primary" })}>
                Load it again
              </a>
            }
          >
            Something failed before the page could be put together. What was saved before is kept. If loading it again
            does not help, tell whoever runs Crosswalk.
          </ErrorPage>
        </main>
      </body>
    </html>
  );
}
