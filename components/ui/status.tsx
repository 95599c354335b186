import { Circle, CircleCheck, CircleDashed, Clock, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

// Each state has a color, an icon and a label, so that none of them has to be understood alone.
const KINDS = {
  active: { icon: Circle, look: "text-good [&_svg]:fill-current" },
  good: { icon: CircleCheck, look: "text-good" },
  pending: { icon: Clock, look: "text-warn" },
  warning: { icon: TriangleAlert, look: "text-warn" },
  failed: { icon: TriangleAlert, look: "text-bad" },
  archived: { icon: CircleDashed, look: "text-soft" },
} satisfies Record<string, { icon: LucideIcon; look: string }>;

export type StatusKind = keyof typeof KINDS;

/** Renders a state with its icon and color. */
export function Status({ kind, children }: { kind: StatusKind; children: ReactNode }) {
  const { icon: Icon, look } = KINDS[kind];
  return (
    <span className={classNames("inline-flex items-center gap-1.5 whitespace-nowrap", look)}>
      <Icon aria-hidden className="size-3 shrink-0" />
      {children}
    </span>
  );
}
