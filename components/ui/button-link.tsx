import Link from "next/link";
import type { ComponentProps } from "react";
import { type ButtonLook, buttonLook } from "./button-look";

/** A link that looks like a button. */
export function ButtonLink({ kind, size, className, ...rest }: ComponentProps<typeof Link> & ButtonLook) {
  return <Link {...rest} className={buttonLook({ ...(kind && { kind }), ...(size && { size }) }, className)} />;
}
