"use client";

import { lazy, type ReactNode, Suspense } from "react";
import type { ErrorBoundaryProps } from "./unexpected-error";

const UnexpectedError = lazy(async () => ({ default: (await import("./unexpected-error")).UnexpectedError }));

/** Replaces a page that failed to render. Its content is loaded on demand to keep the first load of all pages small. */
export function PageError(props: ErrorBoundaryProps & { action: ReactNode }) {
  return (
    <Suspense>
      <UnexpectedError {...props} />
    </Suspense>
  );
}
