"use client";

import { lazy, type ReactNode, Suspense } from "react";
import type { ErrorBoundaryProps } from "./unexpected-error";

const UnexpectedError = lazy(async () => ({ default: (await import("./unexpected-error")).UnexpectedError }));

/** Replaces a page that failed to render. What it shows is loaded only then, because this is part of each page. */
export function PageError(props: ErrorBoundaryProps & { action: ReactNode }) {
  return (
    <Suspense>
      <UnexpectedError {...props} />
    </Suspense>
  );
}
