"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import { classNames } from "@/components/ui/class-names";
import { Notice } from "@/components/ui/notice";
import { versionList as text } from "../messages/history";
import type { PolicyRef } from "../paths";
import { useVersions } from "./use-versions";
import { VersionRow } from "./version-row";

interface VersionListProps {
  policy: PolicyRef;
  newest: number;
  /** The selected version. */
  chosen: number;
  /** The version it is compared with. */
  other: number;
  onChoose: (version: number) => void;
  onCompareWith: (version: number) => void;
}

const ROW_PX = 76;
const PAGE = 8;
const STEPS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE,
  PageUp: -PAGE,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Lists all versions, newest first. Renders and loads only those in view. Arrow keys move. */
export function VersionList({ policy, newest, chosen, other, onChoose, onCompareWith }: VersionListProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: newest,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => newest - index,
    overscan: 6,
    initialRect: { width: 320, height: 600 },
  });
  const drawn = rows.getVirtualItems();
  const { versions, error } = useVersions(
    policy,
    newest,
    drawn.map(({ index }) => newest - index),
  );
  const index = newest - chosen;
  const isFirst = useRef(true);
  useEffect(() => {
    rows.scrollToIndex(index, { align: isFirst.current ? "center" : "auto" });
    isFirst.current = false;
  }, [index, rows]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onChoose(Math.min(newest, Math.max(1, chosen - step)));
  };

  return (
    <div className="min-w-0">
      <div
        ref={box}
        tabIndex={0}
        role="listbox"
        aria-label={text.label}
        aria-activedescendant={`${id}-${chosen}`}
        onKeyDown={onKeyDown}
        className="border-line bg-raised relative max-h-72 overflow-y-auto rounded-md border min-[900px]:max-h-[calc(100dvh-13rem)] focus-visible:-outline-offset-2"
      >
        <div style={{ height: rows.getTotalSize() }}>
          {drawn.map((row) => {
            const number = newest - row.index;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox handles the keys.
              <div
                key={row.key}
                ref={rows.measureElement}
                data-index={row.index}
                id={`${id}-${number}`}
                role="option"
                tabIndex={-1}
                aria-selected={number === chosen}
                aria-setsize={newest}
                aria-posinset={row.index + 1}
                onClick={(event) => {
                  if (event.shiftKey) onCompareWith(number);
                  else onChoose(number);
                  box.current?.focus({ preventScroll: true });
                }}
                style={{ transform: `translateY(${row.start}px)` }}
                className={classNames(
                  "border-line absolute top-0 left-0 w-full cursor-pointer border-b border-l-2 px-3 py-2",
                  number === chosen
                    ? "bg-accent-soft border-l-accent"
                    : number === other
                      ? "border-l-edge border-l-2 bg-sunken"
                      : "hover:bg-sunken border-l-transparent",
                )}
              >
                <VersionRow
                  number={number}
                  version={versions.get(number)}
                  isCurrent={number === newest}
                  isOther={number === other}
                />
              </div>
            );
          })}
        </div>
      </div>
      {error && (
        <div className="mt-2">
          <Notice tone="bad" live title={text.failed}>
            {error.message}
          </Notice>
        </div>
      )}
      <p className="text-soft mt-2 text-sm max-[899px]:hidden">
        {text.keys(
          (name) => (
            <kbd className="font-mono">{name}</kbd>
          ),
          (name) => (
            <span className="whitespace-nowrap">{name}</span>
          ),
        )}
      </p>
    </div>
  );
}
