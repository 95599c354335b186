import type { ReactNode } from "react";
import { ButtonLink } from "@/components/ui/button-link";
import { Copyable } from "@/components/ui/copyable";
import { firstSteps as text } from "./messages/practice";

/** Shows the first steps for a practice without patients. */
export function FirstSteps({ practice, manage }: { practice: number; manage: string }) {
  return (
    <section aria-labelledby="first-steps" className="border-line bg-raised mb-4 rounded-md border px-4 py-3">
      <h2 id="first-steps" className="font-semibold">
        {text.title}
      </h2>
      <p className="text-soft mb-3">{text.lead}</p>
      <ol className="grid gap-3">
        <Step title={text.import}>
          <ButtonLink href={`/practices/${practice}/migration/new`} size="small">
            {text.checkExport}
          </ButtonLink>
        </Step>
        <Step title={text.connect}>
          <ButtonLink href={manage} size="small">
            {text.manageClients}
          </ButtonLink>
        </Step>
        <Step title={text.sample}>
          <Command>{text.seed(practice)}</Command>
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
  return <Copyable value={children} label={text.command} />;
}
