import Link from "next/link";
import type { ReactNode } from "react";
import { docsFrame as text } from "./messages";
import { ThemeButton } from "./theme-button";

/** Shows the layout of the documentation, which is public. */
export function DocsFrame({ children }: { children: ReactNode }) {
  const linkClass = "text-soft hover:text-ink inline-flex min-h-8 items-center px-1";
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="border-line bg-raised sticky top-0 z-10 border-b">
        <div className="mx-auto flex h-12 w-full max-w-[1440px] items-center gap-4 px-4">
          <Link href="/docs" className="text-accent inline-flex min-h-8 items-center font-semibold whitespace-nowrap">
            {text.product}
            <span className="text-soft ml-1.5 font-normal max-sm:sr-only">{text.api}</span>
          </Link>
          <nav aria-label={text.navigation} className="ml-auto flex items-center gap-3">
            <Link href="/docs" className={linkClass}>
              {text.guides}
            </Link>
            {/* A full page load, because the viewer's styles must not apply to other pages. */}
            <a href="/docs/reference" className={linkClass}>
              {text.reference}
            </a>
            <a href="/api/2.0/openapi.json" className={`${linkClass} max-sm:hidden`}>
              {text.document}
            </a>
            <ThemeButton />
          </nav>
        </div>
      </header>
      {children}
    </div>
  );
}
