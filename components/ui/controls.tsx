"use client";

import type { ComponentProps } from "react";
import { useReady } from "./use-ready";

/**
 * The browser's own inputs. One that shows a value of React's takes nothing until the page is ready: what is typed or picked
 * sooner is lost, for nobody listens yet. One that keeps its own value does, and its page reads it later.
 */
function useHeld({ value, checked, disabled }: { value?: unknown; checked?: unknown; disabled?: boolean | undefined }) {
  const isReady = useReady();
  return disabled || (!isReady && (value !== undefined || checked !== undefined));
}

export function Input(props: ComponentProps<"input">) {
  const held = useHeld(props);
  // A file that is chosen sooner is never read.
  const isReady = useReady() || props.type !== "file";
  return <input {...props} disabled={held || !isReady} />;
}

export function Select(props: ComponentProps<"select">) {
  return <select {...props} disabled={useHeld(props)} />;
}

export function TextArea(props: ComponentProps<"textarea">) {
  return <textarea {...props} disabled={useHeld(props)} />;
}
