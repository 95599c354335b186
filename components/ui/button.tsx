import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { type ButtonLook, buttonLook } from "./button-look";

type ButtonProps = ComponentProps<"button"> &
  ButtonLook & { /** Works; it can't be pressed again meanwhile. */ busy?: boolean };

/** While it is busy it keeps the focus, and a press does nothing: a disabled one would lose the place of whoever pressed it. */
export function Button({ kind, size, busy = false, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || rest["aria-disabled"]}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
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
