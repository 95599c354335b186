import { type ReactNode, useId } from "react";

interface SectionProps {
  title: string;
  /** An introduction below the title. */
  lead?: ReactNode;
  actions?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A section of a page with a heading and optional actions. */
export function Section({ title, lead, actions, className = "mb-8", children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={className}>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 max-w-2xl">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {lead && <p className="text-soft mt-0.5">{lead}</p>}
        </div>
        {actions && <div className="screen-only flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
