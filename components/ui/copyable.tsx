"use client";

import { Check, Copy } from "lucide-react";
import { classNames } from "./class-names";
import { copy as text } from "./messages/page";
import { useClipboard } from "./use-clipboard";

interface CopyableProps {
  value: string;
  /** What the value is, for the button: `member ID`. */
  label: string;
  className?: string;
}

/** Renders an identifier with a button that copies it. */
export function Copyable({ value, label, className }: CopyableProps) {
  const { copied, copy } = useClipboard(value);
  const Icon = copied ? Check : Copy;
  return (
    <span className={classNames("inline-flex max-w-full items-center gap-1 font-mono", className)}>
      <span className="min-w-0 wrap-anywhere">{value}</span>
      <button
        type="button"
        aria-label={text.button(label)}
        title={text.button(label)}
        className="screen-only text-soft hover:text-ink inline-grid size-6 shrink-0 place-items-center rounded-md"
        onClick={copy}
      >
        <Icon aria-hidden className="size-3.5" />
      </button>
      <span role="status" className="sr-only">
        {copied ? text.done(label) : ""}
      </span>
    </span>
  );
}
