import type { Access } from "@/lib/access/identity/access";
import type { Origin } from "@/lib/access/identity/origin";
import { lockPatient } from "@/lib/insurance/patients/queries";
import { transaction } from "@/lib/platform/db/transaction";
import { NotFoundError } from "@/lib/platform/errors";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { changeRecord, decodeImages, insertRecord, removeRecord, requireCreatable } from "./commands";
import { createReader } from "./queries";
import type { Data, RecordRow, Resource } from "./schema";

interface OnlyRequest {
  access: Access;
  origin: Origin;
  patientId: number;
  /** Who waits for the images of a body. */
  requester?: Requester;
}

/**
 * Writes what a patient has one of: makes it, or takes the place of the one there is.
 *
 * @throws NotFoundError where the caller has no such patient
 * @throws ValidationError as createRecord
 */
export async function putSingleton(request: OnlyRequest, resource: Resource, sent: Data): Promise<RecordRow> {
  const { access, patientId, origin } = request;
  const images = await decodeImages(request, resource, sent, async (tx) => {
    await lockPatient(tx, access, patientId);
    await requireCreatable(tx, request, resource, sent);
  });
  return transaction(async (tx) => {
    await lockPatient(tx, access, patientId);
    const [before] = await createReader(tx, access.practices).recordsOfPatient(resource.name, patientId);
    return before
      ? changeRecord(tx, { access, id: before.id, ifMatch: null, origin }, resource, sent, images)
      : insertRecord(tx, { access, origin }, resource, sent, images);
  });
}

/** @throws NotFoundError where the caller has no such patient, or the patient has none */
export async function deleteSingleton({ access, patientId, origin }: OnlyRequest, resource: Resource): Promise<void> {
  await transaction(async (tx) => {
    await lockPatient(tx, access, patientId);
    const [before] = await createReader(tx, access.practices).recordsOfPatient(resource.name, patientId);
    if (!before) throw new NotFoundError(resource.noun);
    await removeRecord(tx, { access, id: before.id, ifMatch: null, origin }, resource);
  });
}
