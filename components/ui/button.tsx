import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { type ButtonLook, buttonLook } from "./button-look";

type ButtonProps = ComponentProps<"button"> &
  ButtonLook & { /** Works; it can't be pressed again meanwhile. */ busy?: boolean };

export function Button({ kind, size, busy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={buttonLook({ ...(kind && { kind }), ...(size && { size }) }, className)}
    >
      {busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {children}
    </button>
  );
}

/** A button that is an icon alone; its label is read out and shown on hover. */
export function IconButton({ label, children, ...rest }: ButtonProps & { label: string; children: ReactNode }) {
  return (
    <Button kind="quiet" size="icon" {...rest} aria-label={label} title={label}>
      {children}
    </Button>
  );
}
