"use client";

import { PracticeButton, type PracticeChoice } from "./practice-button";
import { useLateMenu } from "./use-late-menu";

const load = async () => (await import("./practice-menu-panel")).PracticeMenuPanel;

/** Which practice the pages are of, and the way to another one. */
export function PracticeSwitcher({ practices, current }: PracticeChoice) {
  const { late, button } = useLateMenu<PracticeChoice>(load);
  if (practices.length === 1) return <p className="truncate px-2 py-1.5 font-semibold">{current.name}</p>;
  if (late) return <late.Menu practices={practices} current={current} defaultOpen={late.asked} />;
  return <PracticeButton name={current.name} {...button} />;
}
