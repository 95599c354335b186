"use client";

import { notFound } from "@/components/shell/messages/errors";
import { PageError } from "@/components/shell/page-error";
import type { ErrorBoundaryProps } from "@/components/shell/unexpected-error";
import { buttonClass } from "@/components/ui/button-class";

export default function AppError(props: ErrorBoundaryProps) {
  return (
    <main>
      <PageError
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
