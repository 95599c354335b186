import { startCheck } from "@/lib/migration/read/upload-run";
import { cancelRun, type RunRequest, resumeRun } from "@/lib/migration/runs/migration-run";
import { startVerification } from "@/lib/migration/verify/verify-run";

const WORK = { check: startCheck, verify: startVerification, cancel: cancelRun, resume: resumeRun };

/**
 * Performs an action on a run that needs only the staff role.
 *
 * @throws NotFoundError, ConflictError run_state, practice_at_work
 */
export async function askForWork(request: RunRequest, runId: number, work: keyof typeof WORK): Promise<void> {
  await WORK[work](request, runId);
}
