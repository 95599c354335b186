import type { SignOffDecision } from "@/generated/rows/enums";
import { auditReadOfPractice } from "@/lib/access/audit/commands";
import type { RunRequest } from "@/lib/migration/runs/migration-run";
import { isoNow } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, db, sql } from "@/lib/platform/db/sql";
import { ValidationError } from "@/lib/platform/errors";
import { countParts, findCurrentRun, READINESS_PART, toPercent } from "./queries";

/**
 * Signs the decision whether to cut over, with the current figures. Sign-offs can't be changed.
 *
 * @throws ValidationError if the decision is "go" before any run
 */
export async function signOff(
  { origin }: RunRequest,
  practiceId: number,
  { decision, reason }: { decision: SignOffDecision; reason: string },
): Promise<void> {
  const run = await findCurrentRun(practiceId);
  if (!run && decision === "go")
    throw new ValidationError({
      decision: ["No records have been checked yet. Check an export before you sign off as Go."],
    });
  const parts = run ? await countParts(run.id) : { verified: 0, convertible: 0, person: 0, refused: 0 };
  const figures = { parts, percent: toPercent(parts) };
  await db.run(
    kysely.insertInto("migration_sign_off").values({
      practice_id: practiceId,
      run_id: run?.id ?? null,
      decision,
      reason,
      figures,
      actor: origin.actor,
      signed_date: isoNow(),
    }),
  );
  await auditReadOfPractice(origin, practiceId, []);
}

/**
 * Records how ready the practice of a run is today. Each record is in one of four parts, which add up: verified,
 * convertible, in need of staff, or `refused` (skipped with a reason).
 */
export async function recordReadiness(
  tx: Db,
  { id, practice_id: practice }: { id: number; practice_id: number },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO migration_day (practice_id, day, run_id, verified, convertible, person, refused)
    SELECT ${practice}, ${isoNow().slice(0, 10)}::date, ${id}, count(*) FILTER (WHERE part = 'verified'),
      count(*) FILTER (WHERE part = 'convertible'), count(*) FILTER (WHERE part = 'person'),
      count(*) FILTER (WHERE part = 'refused')
    FROM (SELECT ${READINESS_PART} AS part FROM migration_record r WHERE r.run_id = ${id}) parts
    ON CONFLICT (practice_id, day) DO UPDATE SET run_id = excluded.run_id, verified = excluded.verified,
      convertible = excluded.convertible, person = excluded.person, refused = excluded.refused`);
}
