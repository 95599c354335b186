import Link from "next/link";
import type { ComponentProps } from "react";
import { type ButtonStyle, buttonClass } from "./button-class";

/** Renders a link that looks like a button. */
export function ButtonLink({ kind, size, className, ...rest }: ComponentProps<typeof Link> & ButtonStyle) {
  return <Link {...rest} className={buttonClass({ kind, size }, className)} />;
}
