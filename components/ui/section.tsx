import { type ReactNode, useId } from "react";
import { classNames } from "./class-names";

interface SectionProps {
  title: string;
  /** An introduction below the title. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** Reduces the space around the heading, and leaves the space between sections to the page. */
  compact?: boolean;
  className?: string;
  children: ReactNode;
}

/** Renders a section of a page with a heading and optional actions. */
export function Section({ title, lead, actions, compact = false, className, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={className ?? (compact ? undefined : "mb-8")}>
      <div
        className={classNames(
          "flex justify-between",
          compact ? "mb-2 min-h-8 items-center gap-3" : "mb-3 flex-wrap items-end gap-x-6 gap-y-2",
        )}
      >
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
