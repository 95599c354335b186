"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { classNames } from "./class-names";

interface CopyableProps {
  value: string;
  /** What the value is, for the button: `member ID`. */
  label: string;
  className?: string;
}

/** An identifier with a button that copies it. */
export function Copyable({ value, label, className }: CopyableProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : Copy;
  return (
    <span className={classNames("inline-flex max-w-full items-center gap-1 font-mono", className)}>
      <span className="min-w-0 break-all">{value}</span>
      <button
        type="button"
        aria-label={`Copy ${label}`}
        title={`Copy ${label}`}
        className="screen-only text-soft hover:text-ink inline-grid size-6 shrink-0 place-items-center rounded-md"
        onClick={() =>
          navigator.clipboard.writeText(value).then(
            () => setCopied(true),
            () => setCopied(false),
          )
        }
      >
        <Icon aria-hidden className="size-3.5" />
      </button>
      <span role="status" className="sr-only">
        {copied ? `Copied ${label}` : ""}
      </span>
    </span>
  );
}
