"use client";

import { Check, ChevronsUpDown } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu } from "@/components/ui/menu";
import { practiceSwitcher as text } from "./messages/shell";

interface PracticeName {
  id: number;
  name: string;
}

interface PracticeSwitcherProps {
  practices: readonly PracticeName[];
  current: PracticeName;
}

/** Shows the current practice and switches to another one. */
export function PracticeSwitcher({ practices, current }: PracticeSwitcherProps) {
  if (practices.length === 1) return <p className="line-clamp-2 px-2 py-1.5 font-semibold">{current.name}</p>;
  return (
    <Menu
      align="start"
      trigger={
        <Button kind="quiet" className="min-w-0 justify-between pl-2" aria-label={text.trigger(current.name)}>
          <span className="line-clamp-2 text-left font-semibold whitespace-normal">{current.name}</span>
          <ChevronsUpDown aria-hidden className="text-soft size-4 shrink-0" />
        </Button>
      }
      entries={[
        { key: "heading", heading: text.heading },
        ...practices.map(({ id, name }) => ({
          key: String(id),
          href: `/practices/${id}`,
          label: (
            <>
              <Check aria-hidden className={id === current.id ? "size-4" : "invisible size-4"} />
              {name}
            </>
          ),
        })),
      ]}
    />
  );
}
