"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import { classNames } from "@/components/ui/class-names";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import { sourceText } from "../change-sources";
import { changeKindText, changeSummary } from "./history-fields";
import type { PolicyPlace } from "./history-keys";
import { useVersions, type VersionSummary } from "./use-versions";

interface VersionListProps {
  place: PolicyPlace;
  newest: number;
  /** The version looked at. */
  chosen: number;
  /** The version it is compared with. */
  other: number;
  onChoose: (version: number) => void;
  onCompareWith: (version: number) => void;
}

const ROW_PX = 76;
const PAGE = 8;

/** Every version, newest first; only those in view are drawn and loaded. Arrow keys move. */
export function VersionList({ place, newest, chosen, other, onChoose, onCompareWith }: VersionListProps) {
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
    place,
    newest,
    drawn.map(({ index }) => newest - index),
  );
  const index = newest - chosen;
  const first = useRef(true);
  useEffect(() => {
    rows.scrollToIndex(index, { align: first.current ? "center" : "auto" });
    first.current = false;
  }, [index, rows]);

  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: PAGE,
      PageUp: -PAGE,
      Home: -newest,
      End: newest,
    };
    const step = steps[event.key];
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
        aria-label="Versions, newest first"
        aria-activedescendant={`${id}-${chosen}`}
        onKeyDown={move}
        className="border-line bg-raised relative max-h-72 overflow-y-auto rounded-md border min-[900px]:max-h-[calc(100dvh-13rem)] focus-visible:-outline-offset-2"
      >
        <div style={{ height: rows.getTotalSize() }}>
          {drawn.map((row) => {
            const number = newest - row.index;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox takes the keys.
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
          <Notice tone="bad" live title="Some versions could not be loaded">
            {error.message}
          </Notice>
        </div>
      )}
      <p className="text-soft mt-2 text-sm max-[899px]:hidden">
        ↑ ↓ move · <kbd className="font-mono">c</kbd> compares with the current version · Shift-click compares with
        another
      </p>
    </div>
  );
}

interface VersionRowProps {
  number: number;
  version: VersionSummary | undefined;
  isCurrent: boolean;
  isOther: boolean;
}

function VersionRow({ number, version, isCurrent, isOther }: VersionRowProps) {
  const head = (
    <span className="flex items-baseline justify-between gap-3">
      <span className="font-medium whitespace-nowrap">
        <span className="sr-only">Version </span>
        <span className="font-mono">{number}</span>
        {version && ` · ${changeKindText(version.kind)}`}
        {isCurrent && <span className="text-soft text-sm font-normal"> · current</span>}
        {isOther && <span className="sr-only"> · compared with</span>}
      </span>
      {version && (
        <span className="text-soft min-w-0 truncate text-sm" title={version.actor.name}>
          {version.actor.name}
        </span>
      )}
    </span>
  );
  if (!version) {
    return (
      <>
        {head}
        <span className="bg-sunken mt-2 block h-3 w-2/3 animate-pulse rounded" />
        <span className="bg-sunken mt-2 block h-3 w-1/2 animate-pulse rounded" />
      </>
    );
  }
  const summary = changeSummary(version);
  return (
    <>
      {head}
      <span className="text-soft block truncate text-sm">
        <Time value={version.occurred_date} /> · {sourceText(version.source)}
      </span>
      {summary && (
        <span className="block truncate text-sm" title={summary}>
          {summary}
        </span>
      )}
      {version.reason && (
        <span className="text-soft block truncate text-sm" title={version.reason}>
          “{version.reason}”
        </span>
      )}
    </>
  );
}
