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
    <details
      open={isOpen}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      className={classNames("group", className)}
    >
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform group-open:rotate-90" />
        {title}
        <span className="text-soft min-w-0 truncate font-normal">{summary}</span>
      </summary>
      {children}
    </details>
  );
}
