"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, startTransition } from "react";
import { buttonClass } from "@/components/ui/button-class";
import { ErrorPage } from "./error-page";

/** What Next hands to an error page. The digest stands in the server's log too. */
export interface ErrorBoundaryProps {
  error: Error & { digest?: string };
  reset: () => void;
}

/** A page that failed, with a way to try it again. */
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
        title="This page could not be shown"
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
        Something failed while it was put together. What was saved before is kept. Try again in a moment; if it fails
        again, tell whoever runs Crosswalk{error.digest ? " the reference below" : " what you were about to do"}.
      </ErrorPage>
    </div>
  );
}
