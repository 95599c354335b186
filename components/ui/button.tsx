import { LoaderCircle } from "lucide-react";
import Link from "next/link";
import type { ComponentProps, ReactNode } from "react";
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

interface Look {
  kind?: Kind;
  size?: keyof typeof SIZES;
}

function lookOf({ kind = "plain", size = "normal" }: Look, extra?: string): string {
  return classNames(BASE, KINDS[kind], SIZES[size], extra);
}

type ButtonProps = ComponentProps<"button"> &
  Look & { /** Works; it can't be pressed again meanwhile. */ busy?: boolean };

export function Button({ kind, size, busy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={lookOf({ ...(kind && { kind }), ...(size && { size }) }, className)}
    >
      {busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ kind, size, className, ...rest }: ComponentProps<typeof Link> & Look) {
  return <Link {...rest} className={lookOf({ ...(kind && { kind }), ...(size && { size }) }, className)} />;
}

/** A button that is an icon alone; its label is read out and shown on hover. */
export function IconButton({ label, children, ...rest }: ButtonProps & { label: string; children: ReactNode }) {
  return (
    <Button kind="quiet" size="icon" {...rest} aria-label={label} title={label}>
      {children}
    </Button>
  );
}
