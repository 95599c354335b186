import type { Access, Origin } from "@/lib/access/identity/access";
import { lockPatient } from "@/lib/insurance/patients/store";
import { transaction } from "@/lib/platform/db/transaction";
import { NotFoundError } from "@/lib/platform/errors";
import type { IfMatch } from "@/lib/platform/http/conditional";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { changeRecord, decodeImages, insertRecord, removeRecord, requireCreatable } from "./commands";
import type { Data } from "./data-types";
import { createReader } from "./queries";
import type { RecordRow, Resource } from "./schema";

interface SingletonRequest {
  access: Access;
  origin: Origin;
  patientId: number;
  ifMatch: IfMatch;
  /** The request that waits for images to be decoded. */
  requester?: Requester;
}

/**
 * Creates a patient's only record of a resource, or replaces it.
 *
 * @throws NotFoundError if the caller has no such patient, or if `ifMatch` names a version and there is no record
 * @throws VersionConflictError if `ifMatch` names another version
 * @throws ValidationError like `createRecord`
 */
export async function putSingleton<D extends Data, S extends Data>(
  request: SingletonRequest,
  resource: Resource<D, S>,
  sent: NoInfer<S>,
): Promise<RecordRow<D>> {
  const { access, patientId, ifMatch, origin } = request;
  const images = await decodeImages(request, resource, sent, async (tx) => {
    await lockPatient(tx, access, patientId);
    await requireCreatable(tx, request, resource, sent);
  });
  return transaction(async (tx) => {
    await lockPatient(tx, access, patientId);
    const [before] = await createReader(tx, access.practices).recordsOfPatient(resource, patientId);
    if (!before && ifMatch !== null) throw new NotFoundError(resource.noun);
    return before
      ? changeRecord(tx, { access, id: before.id, ifMatch, origin }, resource, sent, images)
      : insertRecord(tx, { access, origin }, resource, sent, images);
  });
}

/**
 * Deletes a patient's only record.
 *
 * @throws NotFoundError if there is no such patient, or no record
 * @throws VersionConflictError if `ifMatch` names another version
 */
export async function deleteSingleton(
  { access, patientId, ifMatch, origin }: SingletonRequest,
  resource: Resource,
): Promise<void> {
  await transaction(async (tx) => {
    await lockPatient(tx, access, patientId);
    const [before] = await createReader(tx, access.practices).recordsOfPatient(resource, patientId);
    if (!before) throw new NotFoundError(resource.noun);
    await removeRecord(tx, { access, id: before.id, ifMatch, origin }, resource);
  });
}
