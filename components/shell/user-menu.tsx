"use client";

import { CircleUserRound, LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { signOut } from "@/components/session/sign-out";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/menu";
import { useToasts } from "@/components/ui/toasts";

export interface User {
  name: string;
  email: string;
  role: "admin" | "staff" | "viewer";
}

/** Who is signed in, how the pages look, and the way out. */
export function UserMenu({ user, compact = false }: { user: User; compact?: boolean }) {
  const { setTheme } = useTheme();
  const { failed } = useToasts();
  const leave = () => void signOut().catch(() => failed("You are still signed in: the server can't be reached."));
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
    >
      <MenuLabel>
        {user.email} · {user.role}
      </MenuLabel>
      <MenuSeparator />
      <MenuItem onSelect={() => setTheme("light")}>
        <Sun aria-hidden className="size-4" /> Light
      </MenuItem>
      <MenuItem onSelect={() => setTheme("dark")}>
        <Moon aria-hidden className="size-4" /> Dark
      </MenuItem>
      <MenuItem onSelect={() => setTheme("system")}>
        <Monitor aria-hidden className="size-4" /> As the system
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={leave}>
        <LogOut aria-hidden className="size-4" /> Sign out
      </MenuItem>
    </Menu>
  );
}
