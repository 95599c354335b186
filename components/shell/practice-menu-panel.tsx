"use client";

import { Check } from "lucide-react";
import Link from "next/link";
import { Menu, MenuLabel, MenuLink } from "@/components/ui/menu";
import { PracticeButton, type PracticeChoice } from "./practice-button";

/** The practices somebody belongs to. */
export function PracticeMenuPanel({ practices, current, defaultOpen }: PracticeChoice & { defaultOpen: boolean }) {
  return (
    <Menu align="start" defaultOpen={defaultOpen} trigger={<PracticeButton name={current.name} />}>
      <MenuLabel>Practices</MenuLabel>
      {practices.map(({ id, name }) => (
        <MenuLink key={id}>
          <Link href={`/practices/${id}`}>
            <Check aria-hidden className={id === current.id ? "size-4" : "invisible size-4"} />
            {name}
          </Link>
        </MenuLink>
      ))}
    </Menu>
  );
}
