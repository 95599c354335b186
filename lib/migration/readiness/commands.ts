import type { SignOffDecision } from "@/generated/rows/enums";
import { auditReadOfPracticeIn } from "@/lib/access/audit/commands";
import type { RunRequest } from "@/lib/migration/runs/migration-run";
import { findGroups, toReadiness } from "@/lib/migration/runs/run-groups";
import { isoNow } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import { db } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { findCurrentRun, NO_RECORDS, SIGN_OFF_COLUMNS, type SignOff, toPercent } from "./queries";

/**
 * Signs the decision whether to cut over, with the current figures, and audits it. Sign-offs can't be changed.
 *
 * @throws ValidationError if the decision is "go" before any run
 */
export async function signOff(
  { origin }: RunRequest,
  practiceId: number,
  { decision, reason }: { decision: SignOffDecision; reason: string },
): Promise<SignOff> {
  const run = await findCurrentRun(practiceId);
  if (!run && decision === "go")
    throw new ValidationError({
      decision: ["No records have been checked yet. Check an export before you sign off as Go."],
    });
  // Not `measureReadiness`: while a run is at work, pages may show figures that are a little older, but a sign-off keeps exact ones.
  const parts = run ? toReadiness((await findGroups(db, run.id)).records) : NO_RECORDS;
  const figures = { parts, percent: toPercent(parts) };
  const insert = kysely
    .insertInto("migration_sign_off")
    .values({
      practice_id: practiceId,
      run_id: run?.id ?? null,
      decision,
      reason,
      figures,
      actor: origin.actor,
      signed_date: isoNow(),
    })
    .returning(SIGN_OFF_COLUMNS);
  return transaction(async (tx) => {
    const signed = await tx.one(insert);
    await auditReadOfPracticeIn(tx, origin, practiceId, []);
    return signed;
  });
}
