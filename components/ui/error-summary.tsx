"use client";

import { type RefObject, useEffect, useRef } from "react";
import { Notice } from "./notice";

export interface FieldProblem {
  /** Name of the input. */
  name: string;
  label: string;
  message: string;
}

interface ErrorSummaryProps {
  title: string;
  problems: readonly FieldProblem[];
  /** The form that holds the inputs. */
  form: RefObject<HTMLElement | null>;
  /** Changes with each attempt to save: the summary is then looked at, or the only input that is wrong. */
  attempt: number;
}

/** Everything that is wrong with a form, each with the way to its input. */
export function ErrorSummary({ title, problems, form, attempt }: ErrorSummaryProps) {
  const summary = useRef<HTMLDivElement>(null);
  const shown = useRef(problems);
  shown.current = problems;
  useEffect(() => {
    if (attempt === 0 || shown.current.length === 0) return;
    // A group that is folded opens first.
    const frame = requestAnimationFrame(() => {
      const [only, ...others] = shown.current;
      if (only && others.length === 0) focusInput(form.current, only.name);
      else summary.current?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [attempt, form]);
  if (problems.length === 0) return null;
  return (
    <div ref={summary} tabIndex={-1} className="scroll-mt-4 rounded-md">
      <Notice tone="bad" live title={title}>
        <ul className="list-disc pl-5">
          {problems.map(({ name, label, message }) => (
            <li key={name}>
              <button
                type="button"
                className="inline min-h-6 text-left underline"
                onClick={() => focusInput(form.current, name)}
              >
                {label}
              </button>
              : {message}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

function focusInput(form: HTMLElement | null, name: string): void {
  const input = form?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`);
  input?.scrollIntoView({ block: "center" });
  input?.focus({ preventScroll: true });
}
