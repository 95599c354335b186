import { isDeepStrictEqual } from "node:util";
import {
  insertRecord,
  lockRecord,
  type RecordRequest,
  type RecordTable,
  updateRecord,
} from "@/lib/access/history/commands";
import type { Origin } from "@/lib/access/identity/access";
import { publishAs } from "@/lib/events/published/publish-events";
import { kysely } from "@/lib/platform/db/kysely";
import { insertInto } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { absentRecords, ValidationError } from "@/lib/platform/errors";
import { findAbsentRecords } from "@/lib/practice/record-lookups/queries";
import { getPhysician, listAvailabilities } from "./queries";
import {
  type AvailabilityInput,
  type AvailabilityRow,
  PHYSICIAN_COLUMNS,
  type PhysicianPatch,
  type PhysicianRow,
} from "./schema";

const PHYSICIANS: RecordTable<PhysicianRow> = {
  type: "physician",
  columns: PHYSICIAN_COLUMNS,
  practice: "practice_id",
  publish: publishAs("physicians"),
};

/** Creates a physician of a practice. Omitted columns get the defaults of the table. */
export async function createPhysician(
  practiceId: number,
  input: Required<Pick<PhysicianRow, "first_name" | "last_name" | "email" | "npi" | "license" | "license_state">> &
    Partial<Pick<PhysicianRow, "credentials" | "specialty">>,
  origin: Origin,
): Promise<PhysicianRow> {
  return transaction((tx) => insertRecord(tx, PHYSICIANS, { ...input, practice_id: practiceId }, origin));
}

/**
 * Updates a physician. Omitted fields are left unchanged.
 *
 * @throws NotFoundError, VersionConflictError
 */
export async function updatePhysician(request: RecordRequest, input: PhysicianPatch): Promise<PhysicianRow> {
  return transaction(async (tx) => {
    const before = await lockRecord(tx, PHYSICIANS, request);
    await updateRecord(tx, PHYSICIANS, { before, values: input, origin: request.origin });
    return getPhysician(request.access, request.id, tx);
  });
}

/**
 * Replaces a physician's availability, with a new version of the physician. Sending the same week again changes nothing, not
 * even the IDs.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ValidationError nested like the body, if the practice has no such service location or appointment type
 */
export async function replaceAvailabilities(
  request: RecordRequest,
  inputs: readonly AvailabilityInput[],
): Promise<{ physician: PhysicianRow; blocks: AvailabilityRow[] }> {
  const { access, id, origin } = request;
  return transaction(async (tx) => {
    const before = await lockRecord(tx, PHYSICIANS, request);
    const blocks = await listAvailabilities(access, id, tx);
    const old = blocks.map(({ id: _id, physician_id: _physician, ...block }) => block);
    const week = [...inputs].sort(byTime);
    if (isDeepStrictEqual([...old].sort(byTime), week)) return { physician: before, blocks };
    await requireReferences(tx, before.practice_id, { before: old, week: inputs });
    await tx.run(kysely.deleteFrom("provider_availability").where("physician_id", "=", id));
    await insertBlocks(tx, id, week);
    const related = { availabilities: { old, new: week } };
    await updateRecord(tx, PHYSICIANS, { before, values: {}, origin, related });
    return { physician: await getPhysician(access, id, tx), blocks: await listAvailabilities(access, id, tx) };
  });
}

const REFERENCES = [
  { field: "service_location_id", resource: "service_locations" },
  { field: "appointment_types", resource: "appointment_types" },
] as const;

/** Requires that referenced records belong to the practice. Existing references stay valid after a deletion. */
async function requireReferences(
  tx: Tx,
  practiceId: number,
  { before, week }: { before: readonly AvailabilityInput[]; week: readonly AvailabilityInput[] },
): Promise<void> {
  for (const { field, resource } of REFERENCES) {
    const idsOf = (block: AvailabilityInput) => [block[field]].flat().filter((id) => id !== null);
    const earlier = new Set(before.flatMap(idsOf));
    const fresh = [...new Set(week.flatMap(idsOf))].filter((id) => !earlier.has(id));
    const absent = new Set(fresh.length === 0 ? [] : await findAbsentRecords(tx, { resource, practiceId, ids: fresh }));
    if (absent.size === 0) continue;
    const problems = week.map((block) => {
      const found = idsOf(block).filter((id) => absent.has(id));
      return found.length === 0 ? {} : { [field]: absentRecords(...found) };
    });
    throw new ValidationError({ availabilities: problems });
  }
}

async function insertBlocks(tx: Tx, physicianId: number, blocks: readonly AvailabilityInput[]): Promise<void> {
  if (blocks.length === 0) return;
  const rows = blocks.map(({ weekday, start_time, end_time, service_location_id, appointment_types }) => ({
    physician_id: physicianId,
    weekday,
    start_time,
    end_time,
    service_location_id,
    appointment_types,
  }));
  await tx.run(insertInto("provider_availability", rows));
}

function byTime(a: AvailabilityInput, b: AvailabilityInput): number {
  return sortKey(a) < sortKey(b) ? -1 : 1;
}

function sortKey(block: AvailabilityInput): string {
  const { weekday, start_time, end_time, service_location_id, appointment_types } = block;
  return JSON.stringify([weekday, start_time, end_time, service_location_id, appointment_types]);
}
