import { z } from "zod";
import { day, reference } from "@/lib/records/engine/fields";
import { type Effect, type Reader, type RecordRow, type Resource, updates } from "@/lib/records/engine/schema";

/** The thread of an order: the orders of one medication that follow each other. */
export const orderThread = z.object({
  dc_date: day.nullable().readonly().optional(),
  id: reference.optional(),
  is_permanent: z.boolean(),
});

type OrderThread = z.output<typeof orderThread>;

/** What a discontinuation stores about the thread. Its declaration can't be imported here: it uses this module. */
const discontinuation = z.object({ thread: z.number().optional(), discontinue_date: z.string().optional() });

/**
 * Returns the updates that make all orders of a thread describe it alike. The thread is as permanent as its last order. It ended
 * when the last discontinuation since that order says; a later order continues it.
 *
 * @param id of the thread; undefined for orders that were loaded without one
 */
export async function alignThread(
  medications: Resource<{ thread: OrderThread }, { thread?: OrderThread }>,
  { reader, record: { patient_id: patientId }, id }: { reader: Reader; record: RecordRow; id: number | undefined },
): Promise<Effect[]> {
  const all = await reader.recordsWhere(medications, "thread", [id ?? ""]);
  const orders = all.filter((order) => order.patient_id === patientId);
  const last = orders.toSorted(byCreation).at(-1);
  if (!last || patientId === null) return [];
  const ended = await reader.recordsOfPatient({ name: "discontinued_medications" }, patientId);
  const ends = ended.filter((end) => byCreation(end, last) > 0).map(({ data }) => discontinuation.parse(data));
  const dc_date = ends.findLast(({ thread }) => thread === id)?.discontinue_date ?? null;
  const { is_permanent } = last.data.thread;
  return orders.map((order) => updates(medications, order.id, { thread: { id, is_permanent, dc_date } }));
}

/** Compares by time of creation, then by ID. Records that were loaded have IDs in another order. */
function byCreation(a: RecordRow, b: RecordRow): number {
  if (a.created_date === b.created_date) return a.id - b.id;
  return a.created_date < b.created_date ? -1 : 1;
}
