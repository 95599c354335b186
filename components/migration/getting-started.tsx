import { Circle, CircleCheck } from "lucide-react";
import { classNames } from "@/components/ui/class-names";
import { Section } from "@/components/ui/section";
import { TextLink } from "@/components/ui/text-link";
import type { MigrationStep, MigrationSteps } from "@/lib/migration/readiness/steps-queries";
import { gettingStarted as text } from "./messages/getting-started";
import { migrationPath, runPath } from "./paths";

const STEPS = [
  "payers",
  "import",
  "review",
  "rehearsal",
  "sign_off",
  "conversion",
  "versioning",
] as const satisfies readonly MigrationStep[];
/** Steps whose pages only admins can open. */
const FOR_ADMINS: readonly MigrationStep[] = ["rehearsal", "versioning"];

interface GettingStartedProps {
  practice: number;
  role: { isAdmin: boolean; canAct: boolean };
  steps: MigrationSteps;
}

/** Shows the steps of the migration until all are done. Highlights the next step. */
export function GettingStarted({ practice, role, steps: { run, done } }: GettingStartedProps) {
  const next = STEPS.find((step) => !done[step]);
  if (!next) return null;
  const migration = migrationPath(practice);
  const hrefs: Record<MigrationStep, string | null> = {
    payers: role.canAct ? `${migration}/new` : null,
    import: role.canAct ? `${migration}/new` : null,
    review: run === null ? null : `${runPath(practice, run)}/findings`,
    rehearsal: `/practices/${practice}/settings`,
    sign_off: `${migration}/readiness`,
    conversion: run === null ? null : `${runPath(practice, run)}?step=convert`,
    versioning: `/practices/${practice}/settings`,
  };
  return (
    <Section title={text.title} lead={text.lead(STEPS.filter((step) => done[step]).length, STEPS.length)}>
      <ol className="border-line bg-raised rounded-md border px-4 py-1">
        {STEPS.map((step) => {
          const { title, detail } = text.steps[step];
          const href = !role.isAdmin && FOR_ADMINS.includes(step) ? null : hrefs[step];
          return (
            <li key={step} className="border-line flex items-start gap-3 border-b py-2 last:border-0">
              {done[step] ? (
                <CircleCheck aria-hidden className="text-good mt-1 size-4 shrink-0" />
              ) : (
                <Circle aria-hidden className="text-soft mt-1 size-4 shrink-0" />
              )}
              <div className="min-w-0">
                <p className={classNames(step === next && "font-medium")}>
                  {href && !done[step] ? (
                    <TextLink href={href} className="text-accent">
                      {title}
                    </TextLink>
                  ) : (
                    title
                  )}
                  <span className="sr-only"> {done[step] ? text.done : text.open}</span>
                </p>
                {!done[step] && <p className="text-soft">{detail}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
