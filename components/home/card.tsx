import { ArrowRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";

/** Shows a card with a heading and an optional link. */
export function Card(props: {
  id: string;
  title: string;
  link?: { label: string; href: string } | undefined;
  className?: string;
  children: ReactNode;
}) {
  const { id, title, link, className, children } = props;
  return (
    <section
      aria-labelledby={id}
      className={classNames("border-line bg-raised flex min-w-0 flex-col rounded-md border px-4 py-3", className)}
    >
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {link && (
          <Link
            href={link.href}
            className="screen-only text-accent inline-flex min-h-6 min-w-6 items-center gap-1 hover:underline"
          >
            {link.label} <ArrowRight aria-hidden className="size-3" />
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}

/** Shows a large figure with its label. */
export function Figure({ value, children }: { value: ReactNode; children: ReactNode }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span className="text-lg font-semibold">{value}</span>
      <span className="text-soft">{children}</span>
    </p>
  );
}
