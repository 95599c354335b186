"use client";

import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { signOut } from "@/components/session/sign-out";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "@/components/ui/menu";
import { useToasts } from "@/components/ui/toasts";

import { type User, UserButton } from "./user-button";

/** Who is signed in, how the pages look, and the way out. */
export function UserMenuPanel({ user, compact, defaultOpen }: { user: User; compact: boolean; defaultOpen: boolean }) {
  const { setTheme } = useTheme();
  const { failed } = useToasts();
  const leave = () => void signOut().catch(() => failed("You are still signed in: the server can't be reached."));
  return (
    <Menu defaultOpen={defaultOpen} trigger={<UserButton user={user} compact={compact} />}>
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
