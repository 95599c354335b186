import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { PolicyRow, Reorder, VersionedReorder } from "@/lib/insurance/policies/schema";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { DomainError, type FieldErrors, ValidationError } from "@/lib/platform/errors";

/**
 * Changes the ranks of several active policies in one step: swaps, rotations, moves to a free rank. Archives nothing.
 *
 * @param order if it has versions, it must name every active policy in its current version
 * @returns the patient's active policies by rank
 * @throws DomainError version_conflict, if a policy was changed, added or archived since
 * @throws ValidationError if an ID is not an active policy of the patient, or an ID or rank repeats
 * @throws ConflictError rank_taken, if a policy that is not in `order` holds one of the ranks
 */
export async function reorderPolicies(
  request: WriteRequest,
  order: Reorder | VersionedReorder,
): Promise<WriteOutcome<PolicyRow[]>> {
  requireDistinct(order);
  return withLockedPatient(request, "policies", async (write) => {
    const ledger = await PolicyLedger.open(write);
    requireSeen(ledger.active, order);
    const unknown = order.map(
      ({ id }): FieldErrors => (ledger.find(id) ? {} : { id: ["Not an active policy of this patient."] }),
    );
    if (unknown.some((problem) => "id" in problem)) throw new ValidationError(unknown);
    for (const { id, rank } of order) ledger.change(id, { rank });
    await ledger.save("update");
    return ledger.active.sort((a, b) => (a.rank ?? 9) - (b.rank ?? 9) || a.id - b.id);
  });
}

function requireSeen(active: readonly PolicyRow[], order: Reorder | VersionedReorder): void {
  const seen = new Map(order.flatMap((entry) => ("version" in entry ? [[entry.id, entry.version] as const] : [])));
  if (seen.size === 0) return;
  const same = seen.size === active.length && active.every(({ id, version }) => seen.get(id) === version);
  if (same) return;
  const message =
    "The policies have changed since you opened the page. Nothing was saved. Reload to see the current policies.";
  throw new DomainError("version_conflict", message);
}

function requireDistinct(order: Reorder): void {
  const repeats = <T>(values: readonly T[], at: number) =>
    values[at] !== null && values.slice(0, at).some((value) => value === values[at]);
  const ids = order.map(({ id }) => id);
  const ranks = order.map(({ rank }) => rank);
  const problems = order.map((_, at) => ({
    ...(repeats(ids, at) ? { id: ["Duplicate policy ID."] } : {}),
    ...(repeats(ranks, at) ? { rank: ["Each rank can be used only once."] } : {}),
  }));
  if (problems.some((problem) => Object.keys(problem).length > 0)) throw new ValidationError(problems);
}
