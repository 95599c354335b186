"use client";

import { type RefObject, useEffect, useRef } from "react";
import { Notice } from "./notice";

export interface FieldProblem {
  /** The input's name. */
  name: string;
  label: string;
  message: string;
}

interface ErrorSummaryProps {
  title: string;
  problems: readonly FieldProblem[];
  /** The form that contains the inputs. */
  form: RefObject<HTMLElement | null>;
  /** Counts the attempts to save. Each new attempt focuses the summary, or the input if only one is invalid. */
  attempt: number;
}

/** Lists the invalid inputs of a form, with links to them. */
export function ErrorSummary({ title, problems, form, attempt }: ErrorSummaryProps) {
  const summary = useRef<HTMLDivElement>(null);
  const latest = useRef(problems);
  latest.current = problems;
  useEffect(() => {
    if (attempt === 0 || latest.current.length === 0) return;
    // Wait a frame: a collapsed group opens first if an input in it is invalid.
    const frame = requestAnimationFrame(() => {
      const [only, ...others] = latest.current;
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
  const group = input?.closest("details");
  if (group) group.open = true;
  input?.scrollIntoView({ block: "center" });
  input?.focus({ preventScroll: true });
}
