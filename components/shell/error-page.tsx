import type { ReactNode } from "react";

/** A page that can't be what was asked for: what happened, and what to do next. */
export function ErrorPage(props: {
  title: string;
  children: ReactNode;
  /** By which those who run the server find this in its log. */
  reference?: string | undefined;
  actions: ReactNode;
}) {
  const { title, children, reference, actions } = props;
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-3 px-4 py-16">
      <h1 className="text-lg font-semibold">{title}</h1>
      <div className="text-soft">{children}</div>
      {reference && (
        <p className="text-soft text-sm">
          Reference <span className="font-mono select-all">{reference}</span>
        </p>
      )}
      <div className="flex flex-wrap gap-2">{actions}</div>
    </div>
  );
}
