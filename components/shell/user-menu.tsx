"use client";

import { type ComponentType, useState } from "react";
import { type User, UserButton } from "./user-button";

interface UserMenuProps {
  user: User;
  compact?: boolean;
}

/** Who is signed in, how the pages look, and the way out. The menu is loaded when it is asked for. */
export function UserMenu({ user, compact = false }: UserMenuProps) {
  const [Panel, setPanel] = useState<ComponentType<Required<UserMenuProps>> | null>(null);
  if (Panel) return <Panel user={user} compact={compact} />;
  const open = async () => {
    const { UserMenuPanel } = await import("./user-menu-panel");
    setPanel(() => UserMenuPanel);
  };
  return <UserButton user={user} compact={compact} aria-haspopup="menu" onClick={() => void open()} />;
}
