"use client";

import { ChevronsUpDown } from "lucide-react";
import type { ComponentProps } from "react";
import { Button } from "@/components/ui/button";

interface PracticeName {
  id: number;
  name: string;
}

export interface PracticeChoice {
  practices: readonly PracticeName[];
  current: PracticeName;
}

/** What opens the menu, before it is loaded and after. */
export function PracticeButton({ name, ...rest }: ComponentProps<typeof Button> & { name: string }) {
  return (
    <Button {...rest} kind="quiet" className="min-w-0 justify-between px-2" aria-label={`Practice: ${name}. Switch`}>
      <span className="truncate font-semibold">{name}</span>
      <ChevronsUpDown aria-hidden className="text-soft size-4 shrink-0" />
    </Button>
  );
}
