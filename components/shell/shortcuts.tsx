"use client";

import { Dialog } from "@/components/ui/dialog";
import { mainPages } from "./main-pages";
import type { User } from "./user-menu";

type Shortcut = [keys: string[], description: string];

const listShortcuts = (role: User["role"]): Shortcut[] => [
  [["Ctrl", "K"], "Go to a patient, page or action"],
  [["/"], "Search patients"],
  [["?"], "Show these shortcuts"],
  ...mainPages(role).map(({ key, label }): Shortcut => [["g", key], `Go to ${label}`]),
  [["j", "k"], "Go to the table, and move between its rows (also ↓ and ↑)"],
  [["Enter"], "Open the row"],
  [["Space"], "Select the row; pick up or drop a policy"],
  [["c"], "In a history: compare with the current version"],
  [["Esc"], "Close the dialog or menu; clear or leave the search"],
];

/** Lists the keyboard shortcuts of a role. */
export function Shortcuts({ role, onClose }: { role: User["role"]; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {listShortcuts(role).map(([keys, description]) => (
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
