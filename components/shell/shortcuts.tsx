"use client";

import { Dialog } from "@/components/ui/dialog";
import { mainPages } from "./main-pages";
import { shortcuts as text } from "./messages/shortcuts";
import type { User } from "./user-menu";

type Shortcut = [keys: string[], description: string];

const listShortcuts = (role: User["role"]): Shortcut[] => [
  [["Ctrl", "K"], text.palette],
  [["/"], text.search],
  [["?"], text.help],
  ...mainPages(role).map(({ key, label }): Shortcut => [["g", key], text.page(label)]),
  [["j", "k"], text.rows],
  [["Enter"], text.open],
  [["Space"], text.select],
  [["c"], text.compare],
  [["F1"], text.hint],
  [["Esc"], text.escape],
];

/** Lists the keyboard shortcuts of a role. */
export function Shortcuts({ role, onClose }: { role: User["role"]; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={text.title}>
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
