import { type DecisionInput, decideFindings } from "@/lib/migration/check/decide";
import { type FindingFilter, listFindingsAfter } from "@/lib/migration/check/review-queries";
import type { RunRequest } from "@/lib/migration/runs/migration-run";

/** The most findings of one decision, whose records are checked again in one transaction. */
const PAGE_SIZE = 5_000;

/** The result of decisions. */
interface Decided {
  decided: number;
  /** Records that were skipped. */
  records: number;
  /** Past insurances that were skipped while their patients are converted. */
  past: number;
  /** Unresolved errors that the decisions caused. */
  newErrors: number;
}

const ABSENT = "insurance_absent";

/** Accepts the proposed fixes of a run, except to archive what the export does not contain. */
export async function acceptFixes(request: RunRequest, runId: number): Promise<Decided> {
  const isMeant = (code: string) => code !== ABSENT;
  return decideAll(request, runId, { fix: true, decision: "open" }, { decide: "accept" }, { isMeant });
}

/** Accepts to archive the insurances that are active in the practice and not in the export. */
export async function archiveAbsent(request: RunRequest, runId: number): Promise<Decided> {
  return decideAll(request, runId, { code: ABSENT, fix: true, decision: "open" }, { decide: "accept" });
}

/** Selects the errors to skip. */
interface LeaveOut {
  reason: string;
  onlyPast: boolean;
  /** The last finding to decide on. Staff must decide on findings that a decision has just caused. */
  until: number;
}

/** Leaves out every record with an unresolved error, or only its past insurance if nothing else has one. */
export async function leaveOut(
  request: RunRequest,
  runId: number,
  { reason, onlyPast, until }: LeaveOut,
): Promise<Decided> {
  const list = onlyPast ? { list: "deleted_insurances" as const } : {};
  const filter = { severity: "error", decision: "open", ...list } as const;
  return decideAll(request, runId, filter, { decide: "skip", reason }, { until });
}

/** Decides on each matching finding once, including those that a decision causes. A fix that does not help would return forever. */
async function decideAll(
  request: RunRequest,
  runId: number,
  filter: FindingFilter,
  input: DecisionInput,
  { until = null, isMeant = () => true }: { until?: number | null; isMeant?: (code: string) => boolean } = {},
): Promise<Decided> {
  const records = new Set<number>();
  const past = new Set<string>();
  const seen = new Set<string>();
  const sum = { decided: 0, newErrors: 0 };
  for (let after = 0; ; ) {
    const page = await listFindingsAfter(runId, filter, { after, limit: PAGE_SIZE });
    const found = page.filter(({ id }) => until === null || id <= until);
    const last = found.at(-1);
    if (!last) return { ...sum, records: records.size, past: past.size };
    after = last.id;
    const keys = found.map(
      ({ number, code, list, position, insurance }) => `${number} ${code} ${list} ${position} ${insurance}`,
    );
    const ids = found.flatMap(({ id, code }, at) => (seen.has(keys[at] as string) || !isMeant(code) ? [] : [id]));
    for (const key of keys) seen.add(key);
    for (const { number, list, position } of found) {
      if (list === "deleted_insurances") past.add(`${number} ${position}`);
      else records.add(number);
    }
    if (ids.length === 0) continue;
    const { decided, new_errors: newErrors = 0 } = await decideFindings(request, runId, { ids }, input);
    sum.decided += decided;
    sum.newErrors += newErrors;
  }
}
