"use client";

import { CircleUserRound } from "lucide-react";
import type { ComponentProps } from "react";
import { Button } from "@/components/ui/button";

export interface User {
  name: string;
  email: string;
  role: "admin" | "staff" | "viewer";
}

type UserButtonProps = ComponentProps<typeof Button> & { user: User; compact: boolean };

/** What opens the menu, before it is loaded and after. */
export function UserButton({ user, compact, ...rest }: UserButtonProps) {
  return (
    <Button
      {...rest}
      kind="quiet"
      size={compact ? "icon" : "normal"}
      className={compact ? "" : "min-w-0 justify-start px-2"}
      aria-label={`Account: ${user.name}`}
    >
      <CircleUserRound aria-hidden className="size-4 shrink-0" />
      {!compact && <span className="truncate">{user.name}</span>}
    </Button>
  );
}
