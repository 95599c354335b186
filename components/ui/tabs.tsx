"use client";

import { Tabs as Radix } from "radix-ui";
import type { ComponentProps, ReactNode } from "react";

interface TabsProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  tabs: { value: string; label: ReactNode; content: ReactNode; className?: string }[];
  /** The classes of a grid that shows all sections at once, without tabs. A section keeps its forms and dialogs when this changes. */
  columns?: string | undefined;
}

/** Attributes of a section that is shown without tabs. */
const COLUMN: Partial<ComponentProps<typeof Radix.Content>> = {
  forceMount: true,
  role: undefined,
  tabIndex: undefined,
  "aria-labelledby": undefined,
};

/** Sections of a page of which one is visible at a time, or all of them in columns. */
export function Tabs({ label, value, onChange, tabs, columns }: TabsProps) {
  const isTabbed = columns === undefined;
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      {isTabbed && (
        <Radix.List aria-label={label} className="border-line screen-only mb-3 flex gap-1 overflow-x-auto border-b">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="text-soft data-[state=active]:border-accent data-[state=active]:text-ink -mb-px border-b-2 border-transparent px-2.5 py-1.5 font-medium whitespace-nowrap"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      )}
      <div className={columns}>
        {tabs.map((tab) => (
          <Radix.Content
            key={tab.value}
            value={tab.value}
            {...(isTabbed ? {} : { ...COLUMN, className: tab.className })}
          >
            {tab.content}
          </Radix.Content>
        ))}
      </div>
    </Radix.Root>
  );
}
