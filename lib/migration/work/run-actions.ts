import { startCheck } from "@/lib/migration/read/upload-run";
import { cancelRun, type RunRequest, resumeRun } from "@/lib/migration/runs/migration-run";
import { startVerification } from "@/lib/migration/verify/verify-run";

const WORK = { check: startCheck, verify: startVerification, cancel: cancelRun, resume: resumeRun };

/**
 * Has something done with a run that needs no more than the role of staff.
 *
 * @throws NotFoundError, ConflictError run_state, practice_at_work
 */
export async function askForWork(request: RunRequest, runId: number, work: keyof typeof WORK): Promise<void> {
  await WORK[work](request, runId);
}
