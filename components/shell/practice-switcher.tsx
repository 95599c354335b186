"use client";

import { type ComponentType, useState } from "react";
import { PracticeButton, type PracticeChoice } from "./practice-button";

/** Which practice the pages are of, and the way to another one. The menu is loaded when it is asked for. */
export function PracticeSwitcher({ practices, current }: PracticeChoice) {
  const [Panel, setPanel] = useState<ComponentType<PracticeChoice> | null>(null);
  if (practices.length === 1) return <p className="truncate px-2 py-1.5 font-semibold">{current.name}</p>;
  if (Panel) return <Panel practices={practices} current={current} />;
  const open = async () => {
    const { PracticeMenuPanel } = await import("./practice-menu-panel");
    setPanel(() => PracticeMenuPanel);
  };
  return <PracticeButton name={current.name} aria-haspopup="menu" onClick={() => void open()} />;
}
