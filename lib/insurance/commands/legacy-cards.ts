import type { PatientWrite, WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { PatientChange } from "@/lib/insurance/patient-write/replication-payload";
import { getPatient } from "@/lib/insurance/patients/queries";
import { InsuranceLedger } from "@/lib/insurance/patients/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { db } from "@/lib/platform/db/sql";
import { BusinessRuleError, NotFoundError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import type { StoredImage } from "@/lib/platform/storage/stored-image";
import { countLegacyWrite } from "@/lib/practice/practices/legacy-usage";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import { requireLegacyInsurances, requireLegacyInterface } from "@/lib/practice/practices/rules";

/**
 * Requires that the practice accepts cards by priority. Called before an image is decoded. A practice with Insurance Versioning
 * requires a policy ID instead (specification, rule 4), and after an enforced deadline all legacy writes are rejected. Counts the
 * request as a legacy write even if it is rejected.
 *
 * @throws NotFoundError, BusinessRuleError policy_id_required or legacy_insurances_deprecated (422)
 * @throws VersionConflictError if `ifMatch` names another version of the patient
 */
export async function requireLegacyCardsAllowed(
  request: WriteRequest,
  { ifMatch = null }: { ifMatch?: IfMatch } = {},
): Promise<void> {
  const patient = await getPatient(request.access, request.patientId);
  countLegacyWrite(request, patient.practice_id);
  const rules = await getPracticeRules(db, patient.practice_id);
  if (rules.insuranceVersioningEnabled) throw policyIdRequired(patient.id);
  requireLegacyInsurances(rules);
  requireVersion(ifMatch, patient.version);
}

/** The patient's version after a card write. */
interface CardsWritten {
  version: number;
}

/**
 * Saves an image as one side of the card at a priority, and replaces the previous image.
 *
 * @throws NotFoundError
 * @throws VersionConflictError if `ifMatch` names another version of the patient
 * @throws BusinessRuleError policy_id_required or legacy_insurances_deprecated
 */
export async function putLegacyCard(
  request: WriteRequest,
  input: { rank: number; side: number; image: StoredImage; ifMatch?: IfMatch },
): Promise<WriteOutcome<CardsWritten>> {
  return withLockedPatient(request, "patients", async (write) => {
    const rules = await getPracticeRules(write.tx, write.patient.practice_id);
    if (rules.insuranceVersioningEnabled) throw policyIdRequired(write.patient.id);
    requireLegacyInsurances(rules);
    requireVersion(input.ifMatch ?? null, write.patient.version);
    const ledger = await InsuranceLedger.open(write);
    const image = { image_rank: input.side, ...input.image, created_date: write.now };
    const others = ledger.cards(input.rank).filter((other) => other.image_rank !== input.side);
    ledger.setCards(input.rank, [...others, image]);
    return saveCards(write, ledger, input.rank);
  });
}

/**
 * Removes one side of the card at a priority. The image stays in the history.
 *
 * @param input.form `legacy` if the request comes from a form for practices without Insurance Versioning
 * @throws NotFoundError if there is no such image
 * @throws VersionConflictError if `ifMatch` names another version of the patient
 * @throws ConflictError versioning_enabled, if `form` is `legacy` and the practice uses Insurance Versioning
 */
export async function removeLegacyCard(
  request: WriteRequest,
  input: { rank: number; side: number; ifMatch?: IfMatch; form?: "legacy" },
): Promise<WriteOutcome<CardsWritten>> {
  countLegacyWrite(request, (await getPatient(request.access, request.patientId)).practice_id);
  return withLockedPatient(request, "patients", async (write) => {
    const rules = await getPracticeRules(write.tx, write.patient.practice_id);
    if (input.form === "legacy") requireLegacyInterface(rules);
    requireLegacyInsurances(rules);
    requireVersion(input.ifMatch ?? null, write.patient.version);
    const ledger = await InsuranceLedger.open(write);
    const before = ledger.cards(input.rank);
    const remaining = before.filter((image) => image.image_rank !== input.side);
    if (remaining.length === before.length) throw new NotFoundError("insurance card");
    ledger.setCards(input.rank, remaining);
    return saveCards(write, ledger, input.rank);
  });
}

/** Saves the cards of a rank. If no insurance has this rank, the cards stay in this store until one does. */
async function saveCards(write: PatientWrite, ledger: InsuranceLedger, rank: number): Promise<CardsWritten> {
  const { version } = write.patient;
  const isChanged = await ledger.flush();
  const holders = ledger.current.filter((insurance) => insurance.rank === rank);
  const changes = holders.map(
    ({ policy_id }): PatientChange => ({ kind: "cards", policy_id, cards: ledger.cards(rank) }),
  );
  write.replication = { direction: "patients_to_policies", kind: "update", changes };
  return { version: isChanged ? version + 1 : version };
}

function policyIdRequired(patientId: number): BusinessRuleError {
  return new BusinessRuleError(
    "policy_id_required",
    `This practice uses Insurance Versioning: upload to /api/2.0/patients/${patientId}/policies/{policy_id}/card-images.`,
  );
}
