"use client";

import { Dialog } from "@/components/ui/dialog";
import { MAIN_PAGES } from "./main-pages";

const SHORTCUTS: [keys: string[], description: string][] = [
  [["Ctrl", "K"], "Go to a patient, page or action"],
  [["/"], "Search patients"],
  [["?"], "Show these shortcuts"],
  ...MAIN_PAGES.map(({ key, label }): [string[], string] => [["g", key], `Go to ${label}`]),
  [["j", "k"], "Go to the table, and move between its rows (also ↓ and ↑)"],
  [["Enter"], "Open the row"],
  [["Space"], "Select the row; pick up or drop a policy"],
  [["c"], "In a history: compare with the current version"],
  [["Esc"], "Close the dialog or menu"],
];

/** Lists the keyboard shortcuts. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {SHORTCUTS.map(([keys, description]) => (
          <div key={description} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="border-edge/60 bg-sunken rounded border px-1.5 font-mono text-sm">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
