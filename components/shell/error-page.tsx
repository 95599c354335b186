import type { ReactNode } from "react";
import { errorPage as text } from "./messages/errors";

interface ErrorPageProps {
  title: string;
  /** What happened, and what to do next. */
  children: ReactNode;
  /** Finds the error in the server's log. */
  reference?: string | undefined;
  actions: ReactNode;
}

/** Replaces a page that can't be shown. */
export function ErrorPage({ title, children, reference, actions }: ErrorPageProps) {
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-3 px-4 py-16">
      <h1 className="text-lg font-semibold">{title}</h1>
      <div className="text-soft">{children}</div>
      {reference && (
        <p className="text-soft text-sm">
          {text.reference} <span className="font-mono select-all">{reference}</span>
        </p>
      )}
      <div className="flex flex-wrap gap-2">{actions}</div>
    </div>
  );
}
