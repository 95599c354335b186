import type { SignOffDecision } from "@/generated/rows/enums";
import { auditReadOfPractice } from "@/lib/access/audit/commands";
import type { RunRequest } from "@/lib/migration/runs/migration-run";
import { isoNow } from "@/lib/platform/clock";
import { db, json, sql } from "@/lib/platform/db/sql";
import { ValidationError } from "@/lib/platform/errors";
import { countParts, findPresentRun, percentOf } from "./queries";

/**
 * Signs a decision to cut over or not with the current figures. It can't be changed afterwards.
 *
 * @throws ValidationError a go while there is no run
 */
export async function signOff(
  { origin }: RunRequest,
  practiceId: number,
  { decision, reason }: { decision: SignOffDecision; reason: string },
): Promise<void> {
  const run = await findPresentRun(practiceId);
  if (!run && decision === "go")
    throw new ValidationError({ decision: ["No record was checked yet: there is nothing to go with."] });
  const parts = run ? await countParts(run.id) : { verified: 0, convertible: 0, person: 0, refused: 0 };
  const figures = { parts, percent: percentOf(parts) };
  await db.run(sql`
    INSERT INTO migration_sign_off (practice_id, run_id, decision, reason, figures, actor, signed_date)
    VALUES (${practiceId}, ${run?.id ?? null}, ${decision}, ${reason}, ${json(figures)}, ${json(origin.actor)}, ${isoNow()})`);
  await auditReadOfPractice(origin, practiceId, []);
}
