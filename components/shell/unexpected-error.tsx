"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, startTransition, useCallback, useEffect } from "react";
import { buttonClass } from "@/components/ui/button-class";
import { BUSY } from "@/lib/platform/errors";
import { ErrorPage } from "./error-page";
import { busy, unexpectedError as text } from "./messages/errors";
import { retryWhenReady } from "./retry-when-ready";

/** Props that Next.js passes to `error.tsx`. The digest is also in the server's log. */
export interface ErrorBoundaryProps {
  error: Error & { digest?: string };
  reset: () => void;
}

/** Replaces a page that failed to render, and lets people try again. If the server was only busy, it retries automatically. */
export function UnexpectedError({ error, reset, action }: ErrorBoundaryProps & { action: ReactNode }) {
  const router = useRouter();
  const isBusy = error.digest === BUSY;
  const retry = useCallback(() => {
    startTransition(() => {
      router.refresh();
      reset();
    });
  }, [router, reset]);
  useEffect(() => (isBusy ? retryWhenReady(retry) : undefined), [isBusy, retry]);
  const { title, detail } = isBusy ? busy : { ...text, detail: error.digest ? text.detailWithReference : text.detail };
  return (
    <div role="alert">
      <ErrorPage
        title={title}
        reference={isBusy ? undefined : error.digest}
        actions={
          <>
            <button type="button" className={buttonClass({ kind: "primary" })} onClick={retry}>
              {text.retry}
            </button>
            {action}
          </>
        }
      >
        {detail}
      </ErrorPage>
    </div>
  );
}
