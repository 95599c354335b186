"use client";

import { Code, Search } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { HelpMenu } from "@/components/help/help-menu";
import { classNames } from "@/components/ui/class-names";
import { Menu } from "@/components/ui/menu";
import { CommandMenu, openLayer } from "./command-menu";
import { type MainPage, mainPageOf, mainPages } from "./main-pages";
import { shell as text } from "./messages/shell";
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
  const isAdmin = user.role === "admin";
  const showShortcuts = () => openLayer("shortcuts");
  return (
    <div className="min-[900px]:grid min-[900px]:grid-cols-[208px_minmax(0,1fr)] print:block">
      <a
        href="#main"
        className="bg-accent text-on-accent sr-only z-50 rounded-md focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-3 focus:py-2"
      >
        {text.skip}
      </a>
      <aside className="screen-only border-line sticky top-0 hidden h-dvh flex-col gap-3 border-r px-3 py-3 min-[900px]:flex">
        <PracticeSwitcher practices={practices} current={current} />
        <nav aria-label={text.navigation} className="flex flex-1 flex-col gap-0.5">
          <Rail base={base} pages={mainPages(user.role)} />
        </nav>
        <button
          type="button"
          onClick={() => openLayer("palette")}
          className="border-edge/60 text-soft hover:bg-sunken flex h-8 items-center gap-2 rounded-md border px-2"
        >
          <Search aria-hidden className="size-4" />
          <span className="flex-1 text-left">{text.goTo}</span>
          <kbd className="font-mono text-sm">{text.paletteKeys}</kbd>
        </button>
        <div className="flex flex-col gap-0.5">
          <HelpMenu base={base} isAdmin={isAdmin} onShortcuts={showShortcuts} />
          <UserMenu user={user} />
        </div>
      </aside>
      <div className="screen-only border-line bg-ground sticky top-0 z-20 flex items-center justify-between gap-2 border-b px-3 py-2 min-[900px]:hidden">
        <PracticeSwitcher practices={practices} current={current} />
        <div className="flex">
          <button
            type="button"
            onClick={() => openLayer("palette")}
            aria-label={text.search}
            className="hover:bg-sunken grid size-8 place-items-center rounded-md"
          >
            <Search aria-hidden className="size-4" />
          </button>
          <HelpMenu base={base} isAdmin={isAdmin} onShortcuts={showShortcuts} compact />
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
        aria-label={text.navigation}
        className="screen-only border-line bg-raised fixed inset-x-0 bottom-0 z-20 flex border-t pb-[env(safe-area-inset-bottom)] min-[900px]:hidden"
      >
        <BottomBar base={base} pages={mainPages(user.role)} />
      </nav>
      <CommandMenu base={base} role={user.role} practices={practices} />
    </div>
  );
}

interface MainPagesProps {
  base: string;
  pages: readonly MainPage[];
}

/** Shows links to the main pages, with those for developers in a group before the last one, Settings. */
function Rail({ base, pages }: MainPagesProps) {
  const current = mainPageOf(base, usePathname());
  const { everyday, developer, settings } = groupPages(pages);
  const link = (page: MainPage) => (
    <MainPageLink
      key={page.path}
      page={page}
      base={base}
      isCurrent={page === current}
      className="flex h-8 items-center gap-2 rounded-md px-2"
    />
  );
  return (
    <>
      {everyday.map(link)}
      {developer.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls.
        <div role="group" aria-labelledby="developer-pages" className="my-2 flex flex-col gap-0.5">
          <p id="developer-pages" className="text-soft px-2 py-1 text-sm">
            {text.developer}
          </p>
          {developer.map(link)}
        </div>
      )}
      {settings.map(link)}
    </>
  );
}

const BAR_ENTRY = "flex min-w-0 flex-1 flex-col items-center gap-0.5 py-1.5 text-sm";

/** Shows the main pages in a narrow window, with those for developers in a menu. */
function BottomBar({ base, pages }: MainPagesProps) {
  const current = mainPageOf(base, usePathname());
  const { everyday, developer, settings } = groupPages(pages);
  const link = (page: MainPage) => (
    <MainPageLink key={page.path} page={page} base={base} isCurrent={page === current} className={BAR_ENTRY} />
  );
  return (
    <>
      {everyday.map(link)}
      {developer.length > 0 && (
        <Menu
          trigger={
            <button
              type="button"
              aria-current={current?.isForDevelopers || undefined}
              className={classNames(BAR_ENTRY, entryLook(current?.isForDevelopers ?? false))}
            >
              <Code aria-hidden className="size-4" />
              {text.developer}
            </button>
          }
          entries={developer.map((page) => ({ key: page.path, href: base + page.path, label: page.label }))}
        />
      )}
      {settings.map(link)}
    </>
  );
}

function groupPages(pages: readonly MainPage[]) {
  const isSettings = ({ path }: MainPage) => path === "/settings";
  return {
    everyday: pages.filter((page) => !page.isForDevelopers && !isSettings(page)),
    developer: pages.filter((page) => page.isForDevelopers),
    settings: pages.filter(isSettings),
  };
}

const entryLook = (isCurrent: boolean) =>
  isCurrent ? "bg-accent-soft text-accent-strong font-medium" : "text-soft hover:bg-sunken hover:text-ink";

interface MainPageLinkProps {
  page: MainPage;
  base: string;
  isCurrent: boolean;
  className: string;
}

function MainPageLink({ page, base, isCurrent, className }: MainPageLinkProps) {
  const Icon = page.icon;
  return (
    <Link
      href={base + page.path}
      aria-current={isCurrent ? "page" : undefined}
      className={classNames(className, entryLook(isCurrent))}
    >
      <Icon aria-hidden className="size-4" />
      {page.label}
    </Link>
  );
}
