import { createHash } from "node:crypto";
import { pickInsurance } from "@/lib/insurance/fields/fields";
import { toRankWord } from "@/lib/insurance/fields/ranks";
import type { PatientWithLegacy } from "@/lib/insurance/patients/import-queries";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { RawRecord } from "@/lib/migration/record/raw-record";
import { canonical, personHash, type StagedRecord } from "@/lib/migration/record/staged-record";

/** Returns a patient's legacy records in the form of an export, for the checks. Ids are the practice's. */
export function stageOwnRecord(patient: PatientWithLegacy, practiceId: number): StagedRecord {
  const current = patient.insurances.filter(({ deleted_date }) => deleted_date === null);
  const past = patient.insurances.filter(({ deleted_date }) => deleted_date !== null);
  const ranks = [...new Set(patient.cards.map(({ rank }) => rank))];
  const raw: RawRecord = {
    id: patient.id,
    first_name: patient.first_name,
    middle_name: patient.middle_name,
    last_name: patient.last_name,
    dob: patient.dob,
    sex: patient.sex,
    caregiver_practice: practiceId,
    insurances: current.map(toRaw),
    deleted_insurances: past.map(toRaw),
    insurance_cards: ranks.map((rank) => ({
      rank,
      images: patient.cards
        .filter((card) => card.rank === rank)
        .map(({ image_rank: side, sha256, bytes }) => ({ side, sha256, bytes, problem: null })),
    })),
  };
  return {
    raw,
    exact: null,
    images: [],
    fingerprint: createHash("sha256").update(canonical(raw)).digest("hex"),
    externalId: String(patient.id),
    person: personHash(raw),
    insuranceIds: current.map(({ id }) => String(id)),
    pastIds: past.map(({ id }) => String(id)),
  };
}

function toRaw(row: InsuranceRow): RawRecord {
  const { id, rank, created_date, deleted_date } = row;
  return { id, rank: toRankWord(rank), ...pickInsurance(row), created_date, deleted_date };
}
