import type { ReactNode } from "react";

/** A part of the page with its heading and what can be done with it. */
export function Part({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className="mb-2 flex min-h-8 items-center justify-between gap-3">
        <h2 className="font-semibold">{title}</h2>
        {actions && <div className="screen-only">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
