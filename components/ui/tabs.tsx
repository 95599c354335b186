"use client";

import { type KeyboardEvent, type ReactNode, useId } from "react";
import { classNames } from "./class-names";

interface TabsProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  tabs: { value: string; label: ReactNode; content: ReactNode }[];
}

/** Sections of a page of which one is visible at a time. Arrow keys, Home and End select a tab. */
export function Tabs({ label, value, onChange, tabs }: TabsProps) {
  const id = useId();
  const selected = tabs.findIndex((tab) => tab.value === value);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const last = tabs.length - 1;
    const targets: Record<string, number> = {
      ArrowRight: selected === last ? 0 : selected + 1,
      ArrowLeft: selected === 0 ? last : selected - 1,
      Home: 0,
      End: last,
    };
    const target = tabs[targets[event.key] ?? -1];
    if (!target) return;
    event.preventDefault();
    onChange(target.value);
    document.getElementById(`${id}-${target.value}`)?.focus();
  };
  return (
    <>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className="border-line screen-only mb-3 flex gap-1 overflow-x-auto border-b"
      >
        {tabs.map((tab) => {
          const isSelected = tab.value === value;
          return (
            <button
              key={tab.value}
              type="button"
              role="tab"
              id={`${id}-${tab.value}`}
              aria-selected={isSelected}
              aria-controls={isSelected ? `${id}-panel` : undefined}
              tabIndex={isSelected ? 0 : -1}
              onClick={() => onChange(tab.value)}
              className={classNames(
                "-mb-px border-b-2 px-2.5 py-1.5 font-medium whitespace-nowrap",
                isSelected ? "border-accent text-ink" : "text-soft border-transparent",
              )}
            >
              {tab.label}
            </button>
          );
        })}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to reach and scroll a panel without controls. */}
      <div key={value} role="tabpanel" tabIndex={0} id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {tabs[selected]?.content}
      </div>
    </>
  );
}
