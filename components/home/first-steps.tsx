import type { ReactNode } from "react";
import { ButtonLink } from "@/components/ui/button-link";
import { Copyable } from "@/components/ui/copyable";

/** Shows the first steps for a practice without patients. */
export function FirstSteps({ practice, manage }: { practice: number; manage: string }) {
  return (
    <section aria-labelledby="first-steps" className="border-line bg-raised mb-4 rounded-md border px-4 py-3">
      <h2 id="first-steps" className="font-semibold">
        No patients yet
      </h2>
      <p className="text-soft mb-3">Add patients in one of these ways.</p>
      <ol className="grid gap-3">
        <Step title="Import a legacy export">
          <ButtonLink href={`/practices/${practice}/migration/new`} size="small">
            Check an export
          </ButtonLink>
        </Step>
        <Step title="Connect an API client">
          <ButtonLink href={manage} size="small">
            Manage API clients
          </ButtonLink>
        </Step>
        <Step title="Try it with sample patients">
          <Command>{`npm run seed -- --patients 1000 --practice ${practice}`}</Command>
        </Step>
      </ol>
    </section>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="border-line border-t pt-3">
      <p className="mb-1 font-medium">{title}</p>
      <div className="text-soft">{children}</div>
    </li>
  );
}

function Command({ children }: { children: string }) {
  return <Copyable value={children} label="Command" />;
}
