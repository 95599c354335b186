"use client";

import type { ComponentProps } from "react";
import { useReady } from "./use-ready";

/**
 * Native inputs that don't lose early input. Until React has hydrated the page, a controlled input would lose what the user
 * types, so it stays disabled. An uncontrolled input keeps its value, and the page reads it later.
 */
function useDisabled({
  value,
  checked,
  disabled,
}: {
  value?: unknown;
  checked?: unknown;
  disabled?: boolean | undefined;
}) {
  const isReady = useReady();
  return disabled || (!isReady && (value !== undefined || checked !== undefined));
}

export function Input(props: ComponentProps<"input">) {
  const disabled = useDisabled(props);
  // A file chosen before hydration is never read.
  const isReady = useReady() || props.type !== "file";
  return <input {...props} disabled={disabled || !isReady} />;
}

export function Select(props: ComponentProps<"select">) {
  return <select {...props} disabled={useDisabled(props)} />;
}

export function TextArea(props: ComponentProps<"textarea">) {
  return <textarea {...props} disabled={useDisabled(props)} />;
}
