"use client";

import { type ErrorBoundaryProps, UnexpectedError } from "@/components/shell/unexpected-error";
import { buttonLook } from "@/components/ui/button-look";

export default function AppError(props: ErrorBoundaryProps) {
  return (
    <main>
      <UnexpectedError
        {...props}
        action={
          <a href="/" className={buttonLook({})}>
            Go to your practice
          </a>
        }
      />
    </main>
  );
}
