import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

interface DisclosureProps {
  title: ReactNode;
  /** Says what is inside, beside the title. */
  summary: ReactNode;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  className?: string;
  children: ReactNode;
}

/** Renders a section that opens and closes. Its content stays in the page, so that inputs keep their values. */
export function Disclosure({ title, summary, isOpen, onToggle, className, children }: DisclosureProps) {
  return (
    <details open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)} className={className}>
      <Summary className="min-h-8 font-medium">
        {title}
        <span className="text-soft min-w-0 truncate font-normal">{summary}</span>
      </Summary>
      {children}
    </details>
  );
}

/** Renders what opens and closes a `details` element, with a chevron that turns. */
export function Summary({ className, children }: { className: string; children: ReactNode }) {
  return (
    <summary
      className={classNames(
        "flex cursor-pointer list-none items-center gap-1.5 [&::-webkit-details-marker]:hidden",
        className,
      )}
    >
      <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform [details[open]>summary>&]:rotate-90" />
      {children}
    </summary>
  );
}
