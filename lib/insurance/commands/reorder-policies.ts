import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { PolicyLedger } from "@/lib/insurance/policies/ledger";
import type { PolicyRow, Reorder, SeenOrder } from "@/lib/insurance/policies/schema";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { DomainError, type FieldErrors, ValidationError } from "@/lib/platform/errors";

/**
 * Gives several active policies their ranks in one step: swaps, rotations, moves to a free rank. Archives nothing, and
 * nobody sees a moment in between.
 *
 * @param order with the versions its author saw, it names every active policy, and holds only while they are those
 * @returns the patient's active policies by rank
 * @throws DomainError version_conflict, where a policy was changed, added or archived since
 * @throws ValidationError an id that is no active policy of the patient, or an id or rank given twice
 * @throws ConflictError rank_taken by a policy that is not named
 */
export async function reorderPolicies(
  request: WriteRequest,
  order: Reorder | SeenOrder,
): Promise<WriteOutcome<PolicyRow[]>> {
  requireDistinct(order);
  return withLockedPatient(request, "policies", async (write) => {
    const ledger = await PolicyLedger.open(write);
    requireSeen(ledger.active, order);
    const unknown = order.map(
      ({ id }): FieldErrors => (ledger.find(id) ? {} : { id: ["No active policy of this patient."] }),
    );
    if (unknown.some((problem) => "id" in problem)) throw new ValidationError(unknown);
    for (const { id, rank } of order) ledger.change(id, { rank });
    await ledger.save("update");
    return ledger.active.sort((a, b) => (a.rank ?? 9) - (b.rank ?? 9) || a.id - b.id);
  });
}

function requireSeen(active: readonly PolicyRow[], order: Reorder | SeenOrder): void {
  const seen = new Map(order.flatMap((entry) => ("version" in entry ? [[entry.id, entry.version] as const] : [])));
  if (seen.size === 0) return;
  const same = seen.size === active.length && active.every(({ id, version }) => seen.get(id) === version);
  if (same) return;
  const message =
    "The policies have changed since this order was made. Nothing was saved; look at them as they are now.";
  throw new DomainError("version_conflict", message);
}

function requireDistinct(order: Reorder): void {
  const repeats = (values: readonly (number | null)[], at: number) =>
    values[at] !== null && values.indexOf(values[at] as number) < at;
  const ids = order.map(({ id }) => id);
  const ranks = order.map(({ rank }) => rank);
  const problems = order.map((_, at) => ({
    ...(repeats(ids, at) ? { id: ["Was given more than once."] } : {}),
    ...(repeats(ranks, at) ? { rank: ["Was given more than once."] } : {}),
  }));
  if (problems.some((problem) => Object.keys(problem).length > 0)) throw new ValidationError(problems);
}
