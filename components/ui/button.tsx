import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { type ButtonStyle, buttonClass } from "./button-class";

type ButtonProps = ComponentProps<"button"> &
  ButtonStyle & {
    /** Whether its action is running. The button ignores presses but keeps focus, which a disabled button would lose. */
    busy?: boolean;
  };

export function Button({ kind, size, busy = false, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || rest["aria-disabled"]}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={buttonClass({ kind, size }, className)}
    >
      {busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {children}
    </button>
  );
}

/** Renders a button that shows only an icon. Screen readers and the tooltip get its label. */
export function IconButton({ label, children, ...rest }: ButtonProps & { label: string; children: ReactNode }) {
  return (
    <Button kind="quiet" size="icon" {...rest} aria-label={label} title={label}>
      {children}
    </Button>
  );
}
