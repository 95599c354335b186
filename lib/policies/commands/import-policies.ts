import { chunks } from "@/lib/db/chunks";
import type { Db } from "@/lib/db/sql";
import type { Origin } from "@/lib/history/origin";
import type { PlacedImage } from "@/lib/insurance/card-image";
import type { InsuranceState } from "@/lib/sync/changes";
import { archivedState, type PolicyHolder, toPolicy } from "../rules";
import type { PolicyRow } from "../schema";
import { writeImages } from "./image-rows";
import { insertPolicies } from "./rows";
import { appendVersions, type NewVersion } from "./versions";

/** A patient whose legacy records are in place, with the card images at each of its ranks. */
export interface PatientWithInsurances extends PolicyHolder {
  insurances: readonly InsuranceState[];
  cards: readonly (PlacedImage & { rank: number })[];
}

/**
 * Makes the policies of imported legacy insurances: of current ones active policies with the card images of their rank,
 * of past ones archived policies. Their versions hold from the legacy records' own dates. Publishes nothing: the caller
 * writes the legacy records in the same transaction.
 */
export async function importPolicies(
  tx: Db,
  patients: readonly PatientWithInsurances[],
  origin: Origin,
): Promise<{ active: number; archived: number }> {
  const histories = patients.flatMap((patient) =>
    patient.insurances.map((insurance) => historyOf(patient, insurance, origin)),
  );
  const policies = histories.map((history) => (history.at(-1) as NewVersion).policy);
  for (const rows of chunks(policies, 500)) await insertPolicies(tx, rows);
  for (const rows of chunks(policies, 1000)) {
    await writeImages(
      tx,
      rows.map((now) => ({ before: null, now })),
    );
  }
  for (const rows of chunks(histories.flat(), 1000)) await appendVersions(tx, rows);
  const active = policies.filter(({ status }) => status === "active").length;
  return { active, archived: policies.length - active };
}

/** The versions of a policy, each the policy whole: it was created and, where the legacy record ended, archived. */
function historyOf(patient: PatientWithInsurances, insurance: InsuranceState, origin: Origin): NewVersion[] {
  const { created_date: from, deleted_date: until, rank } = insurance;
  const images = patient.cards.filter((card) => until === null && card.rank === rank).map(placedImage);
  const created: PolicyRow = { ...toPolicy(patient, insurance, from), card_images: images };
  const first: NewVersion = { policy: created, kind: "created", origin, occurredDate: from };
  if (until === null) return [first];
  const archived: PolicyRow = {
    ...created,
    ...archivedState(until, "imported_history"),
    version: 2,
    modified_date: until,
  };
  return [first, { policy: archived, kind: "archived", origin, occurredDate: until }];
}

function placedImage({ rank: _rank, ...image }: PlacedImage & { rank: number }): PlacedImage {
  return image;
}
