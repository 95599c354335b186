"use client";

import { type ErrorBoundaryProps, UnexpectedError } from "@/components/shell/unexpected-error";
import { buttonClass } from "@/components/ui/button-class";

export default function AppError(props: ErrorBoundaryProps) {
  return (
    <main>
      <UnexpectedError
        {...props}
        action={
          <a href="/" className={buttonClass({})}>
            Go to your practice
          </a>
        }
      />
    </main>
  );
}
