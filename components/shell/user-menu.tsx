"use client";

import { useLateMenu } from "./use-late-menu";
import { type User, UserButton } from "./user-button";

interface UserMenuProps {
  user: User;
  compact?: boolean;
}

const load = async () => (await import("./user-menu-panel")).UserMenuPanel;

/** Who is signed in, how the pages look, and the way out. */
export function UserMenu({ user, compact = false }: UserMenuProps) {
  const { late, button } = useLateMenu<Required<UserMenuProps>>(load);
  if (late) return <late.Menu user={user} compact={compact} defaultOpen={late.asked} />;
  return <UserButton user={user} compact={compact} {...button} />;
}
