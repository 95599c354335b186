import { classNames } from "./class-names";

type Kind = "primary" | "plain" | "quiet" | "danger";

const BASE =
  "inline-flex items-center justify-center gap-1.5 rounded-md font-medium transition-colors sm:whitespace-nowrap duration-150 disabled:opacity-50 aria-disabled:opacity-50";
const KINDS: Record<Kind, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border border-edge/60 bg-raised hover:bg-sunken",
  quiet: "hover:bg-sunken",
  danger: "border border-bad/60 text-bad bg-raised hover:bg-bad-soft",
};
const SIZES = { normal: "min-h-8 px-3 max-sm:py-1", small: "min-h-7 px-2 text-sm", icon: "size-8 shrink-0" } as const;

export interface ButtonStyle {
  kind?: Kind | undefined;
  size?: keyof typeof SIZES | undefined;
}

/** Returns the classes of an element that looks like a button. */
export function buttonClass({ kind = "plain", size = "normal" }: ButtonStyle, extra?: string): string {
  return classNames(BASE, KINDS[kind], SIZES[size], extra);
}
