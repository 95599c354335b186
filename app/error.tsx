"use client";

import { notFound } from "@/components/shell/messages/errors";
import { type ErrorBoundaryProps, UnexpectedError } from "@/components/shell/unexpected-error";
import { buttonClass } from "@/components/ui/button-class";

export default function AppError(props: ErrorBoundaryProps) {
  return (
    <main>
      <UnexpectedError
        {...props}
        action={
          <a href="/" className={buttonClass({})}>
            {notFound.toPractice}
          </a>
        }
      />
    </main>
  );
}
