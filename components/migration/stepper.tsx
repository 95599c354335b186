import { Check } from "lucide-react";
import Link from "next/link";
import { classNames } from "@/components/ui/class-names";
import type { RunState } from "@/lib/migration/runs/run-states";
import { stepper as text } from "./messages/run";
import { runPath } from "./paths";

export const STEPS = ["upload", "check", "review", "convert", "verify"] as const;
export type Step = (typeof STEPS)[number];

/** The next step of a run in each state. */
const NEXT: Record<RunState, Step> = {
  uploading: "upload",
  reading: "upload",
  checking: "check",
  checked: "review",
  converting: "convert",
  converted: "verify",
  verifying: "verify",
  verified: "verify",
  rolling_back: "convert",
  rolled_back: "convert",
  failed: "check",
  cancelled: "check",
};

/** Returns the current step of a run. For a failed or canceled run, this is the step it stopped in. */
export function currentStep({ state, stopped_in }: { state: RunState; stopped_in: RunState | null }): Step {
  return NEXT[stopped_in ?? state];
}

/** Shows the steps of a run, which are also the navigation between its pages. */
export function Stepper(props: {
  practice: number;
  run: { id: number; state: RunState; stopped_in: RunState | null };
  here: Step;
}) {
  const { practice, run, here } = props;
  const reached = STEPS.indexOf(currentStep(run));
  const isDone = (at: number) => at < reached || run.state === "verified";
  const stepPath = (step: Step) =>
    step === "review" ? `${runPath(practice, run.id)}/findings` : `${runPath(practice, run.id)}?step=${step}`;
  return (
    <nav aria-label={text.label} className="screen-only mb-5 overflow-x-auto">
      <ol className="border-line flex min-w-max border-b">
        {STEPS.map((step, at) => {
          const current = step === here;
          return (
            <li key={step}>
              <Link
                href={stepPath(step)}
                aria-current={current ? "step" : undefined}
                className={classNames(
                  "-mb-px inline-flex min-h-9 items-center gap-1 border-b-2 px-1 font-medium sm:gap-2 sm:px-3 focus-visible:-outline-offset-2",
                  current ? "border-accent text-ink" : "text-soft hover:text-ink border-transparent",
                )}
              >
                <span
                  aria-hidden
                  className={classNames(
                    "grid size-3.5 place-items-center rounded-full border text-sm tabular-nums sm:size-5",
                    isDone(at) ? "border-accent bg-accent text-on-accent" : "max-sm:hidden",
                    !isDone(at) && (at === reached ? "border-accent text-ink" : "border-edge/60"),
                  )}
                >
                  {isDone(at) ? <Check className="size-2.5 sm:size-3" /> : at + 1}
                </span>
                {text.names[step]}
                {isDone(at) && <span className="sr-only"> {text.done}</span>}
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
