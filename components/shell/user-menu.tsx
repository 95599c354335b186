"use client";

import { CircleUserRound, LogOut } from "lucide-react";
import { useTheme } from "next-themes";
import { signOut } from "@/components/session/sign-out";
import { Button } from "@/components/ui/button";
import { Menu } from "@/components/ui/menu";
import { useRowHeight } from "@/components/ui/row-height";
import { useToasts } from "@/components/ui/toasts";
import { userMenu as text } from "./messages/shell";

export interface User {
  name: string;
  email: string;
  role: "admin" | "staff" | "viewer";
}

export const THEMES = [
  { value: "light", label: text.themes.light },
  { value: "dark", label: text.themes.dark },
  { value: "system", label: text.themes.system },
] as const;

export const ROW_HEIGHTS = [
  { value: "dense", label: text.rowHeights.dense },
  { value: "comfortable", label: text.rowHeights.comfortable },
] as const;

interface UserMenuProps {
  user: User;
  /** Shows only an icon. */
  compact?: boolean;
}

/** Shows who is signed in, with settings for theme and row height, and signs out. */
export function UserMenu({ user, compact = false }: UserMenuProps) {
  const { theme, setTheme } = useTheme();
  const [height, setHeight] = useRowHeight();
  const signOutUser = useSignOut();
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          size={compact ? "icon" : "normal"}
          className={compact ? "" : "min-w-0 justify-start gap-2 pl-2"}
          aria-label={text.trigger(user.name)}
        >
          <CircleUserRound aria-hidden className="size-4 shrink-0" />
          {!compact && <span className="truncate">{user.name}</span>}
        </Button>
      }
      entries={[
        { key: "account", heading: text.account(user.email, user.role) },
        { key: "before themes", separator: true },
        {
          key: "themes",
          heading: text.theme,
          chosen: theme,
          choices: THEMES.map((choice) => ({ ...choice, onSelect: () => setTheme(choice.value) })),
        },
        { key: "before rows", separator: true },
        {
          key: "rows",
          heading: text.rows,
          chosen: height,
          choices: ROW_HEIGHTS.map((choice) => ({ ...choice, onSelect: () => setHeight(choice.value) })),
        },
        { key: "before sign-out", separator: true },
        {
          key: "sign-out",
          label: (
            <>
              <LogOut aria-hidden className="size-4" /> {text.signOut}
            </>
          ),
          onSelect: signOutUser,
        },
      ]}
    />
  );
}

/** Returns a function that signs the user out and shows a message if that fails. */
export function useSignOut(): () => void {
  const toast = useToasts();
  return () => void signOut().catch(() => toast.error(text.signOutFailed));
}
