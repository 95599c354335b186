"use client";

import { CircleHelp, Search } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";
import { CommandMenu, openLayer } from "./command-menu";
import { MAIN_PAGES, type MainPage } from "./main-pages";
import { PracticeSwitcher } from "./practice-switcher";
import { type User, UserMenu } from "./user-menu";

interface PracticeName {
  id: number;
  name: string;
}

interface ShellProps {
  user: User;
  practices: readonly PracticeName[];
  current: PracticeName;
  children: ReactNode;
}

/** Shows the frame of every page. The navigation is on the left, or at the bottom of a narrow window. */
export function Shell({ user, practices, current, children }: ShellProps) {
  const base = `/practices/${current.id}`;
  return (
    <div className="min-[900px]:grid min-[900px]:grid-cols-[208px_minmax(0,1fr)] print:block">
      <a
        href="#main"
        className="bg-accent text-on-accent sr-only z-50 rounded-md focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <aside className="screen-only border-line sticky top-0 hidden h-dvh flex-col gap-3 border-r px-3 py-3 min-[900px]:flex">
        <PracticeSwitcher practices={practices} current={current} />
        <nav aria-label="Main" className="flex flex-1 flex-col gap-0.5">
          {MAIN_PAGES.map((page) => (
            <MainPageLink
              key={page.path}
              page={page}
              base={base}
              className="flex h-8 items-center gap-2 rounded-md px-2"
            />
          ))}
        </nav>
        <button
          type="button"
          onClick={() => openLayer("palette")}
          className="border-edge/60 text-soft hover:bg-sunken flex h-8 items-center gap-2 rounded-md border px-2"
        >
          <Search aria-hidden className="size-4" />
          <span className="flex-1 text-left">Go to</span>
          <kbd className="font-mono text-sm">Ctrl K</kbd>
        </button>
        <div className="flex flex-col gap-0.5">
          <button
            type="button"
            onClick={() => openLayer("shortcuts")}
            className="text-soft hover:bg-sunken hover:text-ink flex h-8 items-center gap-2 rounded-md px-2"
          >
            <CircleHelp aria-hidden className="size-4" />
            <span className="flex-1 text-left">Help</span>
            <kbd aria-hidden className="font-mono text-sm">
              ?
            </kbd>
          </button>
          <UserMenu user={user} />
        </div>
      </aside>
      <div className="screen-only border-line bg-ground sticky top-0 z-20 flex items-center justify-between gap-2 border-b px-3 py-2 min-[900px]:hidden">
        <PracticeSwitcher practices={practices} current={current} />
        <div className="flex">
          <button
            type="button"
            onClick={() => openLayer("palette")}
            aria-label="Search or go to a page"
            className="hover:bg-sunken grid size-8 place-items-center rounded-md"
          >
            <Search aria-hidden className="size-4" />
          </button>
          <UserMenu user={user} compact />
        </div>
      </div>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[1440px] min-w-0 px-4 py-4 pb-24 outline-none min-[900px]:px-6 min-[900px]:py-6"
      >
        <p className="print-only mb-3 font-semibold">{current.name}</p>
        {children}
      </main>
      <nav
        aria-label="Main"
        className="screen-only border-line bg-raised fixed inset-x-0 bottom-0 z-20 flex border-t pb-[env(safe-area-inset-bottom)] min-[900px]:hidden"
      >
        {MAIN_PAGES.map((page) => (
          <MainPageLink
            key={page.path}
            page={page}
            base={base}
            className="flex min-w-0 flex-1 flex-col items-center gap-0.5 py-1.5 text-sm"
          />
        ))}
      </nav>
      <CommandMenu base={base} role={user.role} practices={practices} />
    </div>
  );
}

function MainPageLink({ page, base, className }: { page: MainPage; base: string; className: string }) {
  const pathname = usePathname();
  const href = base + page.path;
  const isCurrent = page.path === "" ? pathname === href : pathname.startsWith(href);
  const Icon = page.icon;
  return (
    <Link
      href={href}
      aria-current={isCurrent ? "page" : undefined}
      className={classNames(
        className,
        isCurrent ? "bg-accent-soft text-accent-strong font-medium" : "text-soft hover:bg-sunken hover:text-ink",
      )}
    >
      <Icon aria-hidden className="size-4" />
      {page.label}
    </Link>
  );
}
