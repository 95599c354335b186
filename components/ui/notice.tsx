import type { ReactNode } from "react";
import { classNames } from "./class-names";

const TONES = {
  info: "border-line bg-raised",
  good: "border-good/40 bg-good-soft",
  warning: "border-warn/40 bg-warn-soft",
  bad: "border-bad/40 bg-bad-soft",
} as const;

interface NoticeProps {
  tone?: keyof typeof TONES;
  title?: ReactNode;
  children?: ReactNode;
  /** Announces the notice to screen readers. For notices that appear after the page has loaded. */
  live?: boolean;
}

/** Renders a message in the page. */
export function Notice({ tone = "info", title, children, live = false }: NoticeProps) {
  return (
    <div
      role={live ? (tone === "bad" ? "alert" : "status") : undefined}
      className={classNames("rounded-md border px-3 py-2", TONES[tone])}
    >
      {title && <p className="font-medium">{title}</p>}
      {children}
    </div>
  );
}
