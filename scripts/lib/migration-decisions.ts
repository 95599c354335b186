import { type DecisionInput, decideFindings } from "@/lib/migration/check/decide";
import { type FindingFilter, listFindingsAfter } from "@/lib/migration/check/review-queries";
import type { RunRequest } from "@/lib/migration/runs/migration-run";

/** As many as a decision takes: after each of them the readiness of the whole run is counted. */
const AT_ONCE = 5_000;

/** What a decision came to. */
interface Decided {
  decided: number;
  /** Patients' records that are left out. */
  records: number;
  /** Past insurances that are left out, while their patients are converted. */
  past: number;
  /** Errors that the decisions brought up: nobody has decided on them yet. */
  newErrors: number;
}

const ABSENT = "insurance_absent";

/** Accepts the fixes a run proposes, except to archive what the export lacks. */
export async function acceptFixes(request: RunRequest, runId: number): Promise<Decided> {
  const isMeant = (code: string) => code !== ABSENT;
  return decideAll(request, runId, { fix: true, decision: "open" }, { decide: "accept" }, { isMeant });
}

/** Confirms that the insurances ended which are active in the practice and missing in the export. */
export async function archiveAbsent(request: RunRequest, runId: number): Promise<Decided> {
  return decideAll(request, runId, { code: ABSENT, fix: true, decision: "open" }, { decide: "accept" });
}

/** Which errors are left out: of past insurances alone, and up to which finding. */
interface LeaveOut {
  reason: string;
  onlyPast: boolean;
  /** The last finding that is decided on. What a decision has just brought up is for a person to look at. */
  until: number;
}

/** Leaves out every record of a run that has an error nobody mended; where only a past insurance has one, that insurance. */
export async function leaveOut(
  request: RunRequest,
  runId: number,
  { reason, onlyPast, until }: LeaveOut,
): Promise<Decided> {
  const list = onlyPast ? { list: "deleted_insurances" as const } : {};
  const filter = { severity: "error", decision: "open", ...list } as const;
  return decideAll(request, runId, filter, { decide: "skip", reason }, { until });
}

/** Decides on each finding that fits, those a decision brings up too, and on none twice: a fix that mends nothing comes back. */
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
    const page = await listFindingsAfter(runId, filter, { after, limit: AT_ONCE });
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
