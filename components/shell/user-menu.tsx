"use client";

import { CircleUserRound, LogOut, Monitor, Moon, Rows3, Rows4, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { signOut } from "@/components/session/sign-out";
import { Button } from "@/components/ui/button";
import { Menu } from "@/components/ui/menu";
import { useRowHeight } from "@/components/ui/row-height";
import { useToasts } from "@/components/ui/toasts";

export interface User {
  name: string;
  email: string;
  role: "admin" | "staff" | "viewer";
}

/** What the pages can look like. */
export const LOOKS = [
  { theme: "light", words: "Light", Icon: Sun },
  { theme: "dark", words: "Dark", Icon: Moon },
  { theme: "system", words: "As the system", Icon: Monitor },
] as const;

/** Who is signed in, how the pages look, and the way out. */
export function UserMenu({ user, compact = false }: { user: User /** An icon alone. */; compact?: boolean }) {
  const { setTheme } = useTheme();
  const [height, setHeight] = useRowHeight();
  const leave = useLeave();
  const isDense = height === "dense";
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          size={compact ? "icon" : "normal"}
          className={compact ? "" : "min-w-0 justify-start px-2"}
          aria-label={`Account: ${user.name}`}
        >
          <CircleUserRound aria-hidden className="size-4 shrink-0" />
          {!compact && <span className="truncate">{user.name}</span>}
        </Button>
      }
      entries={[
        { key: "who", heading: `${user.email} · ${user.role}` },
        { key: "before looks", rule: true },
        ...LOOKS.map(({ theme, words, Icon }) => ({
          key: theme,
          words: (
            <>
              <Icon aria-hidden className="size-4" /> {words}
            </>
          ),
          act: () => setTheme(theme),
        })),
        { key: "before rows", rule: true },
        {
          key: "rows",
          words: (
            <>
              {isDense ? <Rows3 aria-hidden className="size-4" /> : <Rows4 aria-hidden className="size-4" />}
              {isDense ? "Comfortable rows" : "Dense rows"}
            </>
          ),
          act: () => setHeight(isDense ? "comfortable" : "dense"),
        },
        { key: "before leaving", rule: true },
        {
          key: "leave",
          words: (
            <>
              <LogOut aria-hidden className="size-4" /> Sign out
            </>
          ),
          act: leave,
        },
      ]}
    />
  );
}

/** Signs out, and says so where that failed. */
export function useLeave(): () => void {
  const toast = useToasts();
  return () => void signOut().catch(() => toast.error("You are still signed in: the server can't be reached."));
}
