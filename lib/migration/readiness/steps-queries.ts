import { listRecordChanges } from "@/lib/access/history/queries";
import type { Access } from "@/lib/access/identity/access";
import { hasPayers } from "@/lib/insurance/payers/queries";
import { countRun } from "@/lib/migration/runs/run-counts";
import { db } from "@/lib/platform/db/sql";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import type { Readiness } from "./queries";

/** The steps from the first import to Insurance Versioning, in order. */
export type MigrationStep = "payers" | "import" | "review" | "rehearsal" | "sign_off" | "conversion" | "versioning";

/** Whether each step is done, and the run that the steps are about. */
export interface MigrationSteps {
  run: number | null;
  done: Record<MigrationStep, boolean>;
}

/** Derives the steps of a practice's migration from stored data (ADR 0217). */
export async function getMigrationSteps(
  access: Access,
  practiceId: number,
  { run, sign_offs }: Pick<Readiness, "run" | "sign_offs">,
): Promise<MigrationSteps> {
  const blocked = run ? (await countRun(run.id)).totals.blocked.records : 0;
  const isRead = run !== null && run.state !== "checking" && run.state !== "failed";
  const rehearsals = await listRecordChanges(access, { type: "practice", fields: ["rehearsal_time"], limit: 1 });
  const rules = await getPracticeRules(db, practiceId);
  return {
    run: run?.id ?? null,
    done: {
      payers: await hasPayers(practiceId),
      import: run !== null,
      review: isRead && blocked === 0,
      rehearsal: rules.isRehearsing || rehearsals.length > 0,
      sign_off: sign_offs[0]?.decision === "go",
      conversion: run?.state === "verified",
      versioning: rules.insuranceVersioningEnabled,
    },
  };
}
