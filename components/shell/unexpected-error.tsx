"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, startTransition } from "react";
import { buttonClass } from "@/components/ui/button-class";
import { ErrorPage } from "./error-page";
import { unexpectedError as text } from "./messages/errors";

/** Props that Next.js passes to `error.tsx`. The digest is also in the server's log. */
export interface ErrorBoundaryProps {
  error: Error & { digest?: string };
  reset: () => void;
}

/** Replaces a page that failed to render, and tries again. */
export function UnexpectedError({ error, reset, action }: ErrorBoundaryProps & { action: ReactNode }) {
  const router = useRouter();
  const retry = () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
  return (
    <div role="alert">
      <ErrorPage
        title={text.title}
        reference={error.digest}
        actions={
          <>
            <button type="button" className={buttonClass({ kind: "primary" })} onClick={retry}>
              {text.retry}
            </button>
            {action}
          </>
        }
      >
        {error.digest ? text.detailWithReference : text.detail}
      </ErrorPage>
    </div>
  );
}
