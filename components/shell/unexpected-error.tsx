"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, startTransition } from "react";
import { buttonClass } from "@/components/ui/button-class";
import { ErrorPage } from "./error-page";

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
        title="This page couldn't load"
        reference={error.digest}
        actions={
          <>
            <button type="button" className={buttonClass({ kind: "primary" })} onClick={retry}>
              Try again
            </button>
            {action}
          </>
        }
      >
        Something failed while loading it. Everything you saved is safe. Try again in a moment. If it fails again, tell
        your Crosswalk administrator{error.digest ? " the reference below" : " what you were about to do"}.
      </ErrorPage>
    </div>
  );
}
