import Link from "next/link";
import type { ComponentProps } from "react";
import { classNames } from "./class-names";

/** Renders a link in a table or a line of text, large enough to tap. */
export function TextLink({ className, ...link }: ComponentProps<typeof Link>) {
  return (
    <Link
      prefetch={false}
      {...link}
      className={classNames("inline-flex min-h-6 min-w-6 items-center hover:underline", className)}
    />
  );
}
