import { ChevronRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { page as text } from "./messages/page";

interface PageHeaderProps {
  /** The breadcrumb, outermost page first. */
  trail?: { label: string; href: string }[];
  title: ReactNode;
  /** Shown below the title. */
  meta?: ReactNode;
  actions?: ReactNode;
}

/** Renders the breadcrumb, title and actions of a page. */
export function PageHeader({ trail = [], title, meta, actions }: PageHeaderProps) {
  return (
    <header className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        {trail.length > 0 && (
          <nav aria-label={text.breadcrumb} className="text-soft mb-0.5 flex flex-wrap items-center gap-1 text-sm">
            {trail.map(({ label, href }) => (
              <span key={href} className="inline-flex items-center gap-1">
                <Link href={href} className="hover:text-ink inline-flex min-h-6 min-w-6 items-center hover:underline">
                  {label}
                </Link>
                <ChevronRight aria-hidden className="size-3 shrink-0" />
              </span>
            ))}
          </nav>
        )}
        <h1 className="text-lg font-semibold">{title}</h1>
        {meta && <div className="text-soft mt-0.5">{meta}</div>}
      </div>
      {actions && <div className="screen-only flex flex-wrap gap-2">{actions}</div>}
    </header>
  );
}
