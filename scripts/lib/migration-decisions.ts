import { type DecisionInput, decideFindings } from "@/lib/migration/commands/decide";
import type { RunRequest } from "@/lib/migration/commands/migration-run";
import { type FindingFilter, listFindingsAfter } from "@/lib/migration/review-queries";

/** As many as a decision takes: after each of them the readiness of the whole run is counted. */
const AT_ONCE = 5_000;

/** Accepts the fixes a run proposes. @returns how many */
export async function acceptFixes(request: RunRequest, runId: number): Promise<number> {
  const { decided } = await decideAll(request, runId, { fix: true, decision: "open" }, { decide: "accept" });
  return decided;
}

/** Leaves out every record of a run that has an error nobody mended. @returns how many */
export async function leaveOut(request: RunRequest, runId: number, reason: string): Promise<number> {
  const filter = { severity: "error", decision: "open" } as const;
  const { records } = await decideAll(request, runId, filter, { decide: "skip", reason });
  return records;
}

/** Decides on each finding that fits, those a decision brings up too, and on none twice: a fix that mends nothing comes back. */
async function decideAll(
  request: RunRequest,
  runId: number,
  filter: FindingFilter,
  input: DecisionInput,
): Promise<{ decided: number; records: number }> {
  const records = new Set<number>();
  const seen = new Set<string>();
  let decided = 0;
  for (let after = 0; ; ) {
    const found = await listFindingsAfter(runId, filter, { after, limit: AT_ONCE });
    const last = found.at(-1);
    if (!last) return { decided, records: records.size };
    after = last.id;
    const keys = found.map(({ number, code, position, insurance }) => `${number} ${code} ${position} ${insurance}`);
    const ids = found.flatMap(({ id }, at) => (seen.has(keys[at] as string) ? [] : [id]));
    for (const key of keys) seen.add(key);
    for (const { number } of found) records.add(number);
    if (ids.length > 0) decided += (await decideFindings(request, runId, { ids }, input)).decided;
  }
}
