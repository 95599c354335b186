"use client";

import { Fragment } from "react";
import { Dialog } from "@/components/ui/dialog";
import { mainPages } from "./main-pages";
import { shortcuts as text } from "./messages/shortcuts";
import type { User } from "./user-menu";

type Shortcut = [keys: string[], description: string, between?: string];

const listShortcuts = (role: User["role"]): Shortcut[] => [
  [["Ctrl", "K"], text.palette, text.together],
  [["/"], text.search],
  [["?"], text.help],
  ...mainPages(role).map(({ key, label }): Shortcut => [["g", key], text.page(label), text.inOrder]),
  [["j", "k"], text.rows, text.either],
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
        {listShortcuts(role).map(([keys, description, between]) => (
          <div key={description} className="contents">
            <dt className="flex items-center gap-1">
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && <span className="text-soft text-sm">{between}</span>}
                  <kbd className="border-edge/60 bg-sunken rounded border px-1.5 font-mono text-sm">{key}</kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
