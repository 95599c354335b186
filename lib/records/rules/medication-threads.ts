import type { Effect, Reader, RecordRow, Resource } from "@/lib/records/engine/schema";

/**
 * What the orders of a thread say of it is the same in all of them, whichever was written: the thread is as permanent as its
 * last order, and ended when the last discontinuation since that order says. A later order goes on with it.
 */
export async function alignThread(
  medications: Resource,
  { read, record: { patient_id: patientId }, id }: { read: Reader; record: RecordRow; id: number },
): Promise<Effect[]> {
  const all = await read.recordsWhere("medications", "thread", [id]);
  const orders = all.filter((order) => order.patient_id === patientId);
  const last = orders.toSorted(byCreation).at(-1);
  if (!last || patientId === null) return [];
  const ended = await read.recordsOfPatient("discontinued_medications", patientId);
  const ends = ended.filter((end) => end.data.thread === id && byCreation(end, last) > 0);
  const dc_date = ends.at(-1)?.data.discontinue_date ?? null;
  const { is_permanent } = last.data.thread as { is_permanent: boolean };
  const thread = { id, is_permanent, dc_date };
  return orders.map((order) => ({ kind: "change", resource: medications, id: order.id, data: { thread } }));
}

/** Records of one moment were made in the order of their ids; what was loaded has ids in another order. */
function byCreation(a: RecordRow, b: RecordRow): number {
  if (a.created_date === b.created_date) return a.id - b.id;
  return a.created_date < b.created_date ? -1 : 1;
}
