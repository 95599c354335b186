import type { RecordState } from "@/generated/rows/enums";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { RestoredCompanies } from "@/lib/insurance/payers/commands/restore-companies";
import type { Row } from "@/lib/platform/db/rows";
import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** An insurance company of an export, with its id there. */
export interface RunCompany {
  externalId: number;
  fields: { carrier: string } & Record<string, unknown>;
}

/** The columns of a run that its work needs. */
export type RunRow = Omit<Row<"migration_run">, "source_fingerprint" | "purging">;

/** What rolling a run back came to, beyond its records. */
export interface RollBackResult {
  companies: RestoredCompanies;
}

/** What verifying a run came to. */
export interface Verification {
  records: number;
  /** Records somebody has changed since: both sides must still agree, and the export no longer tells what they hold. */
  changed_since: number;
  policies: number;
  images: number;
  /** Of them read from the store, and their hashes compared. */
  images_read: number;
  /** Records in which something differs. */
  different: number;
}

export type { RecordState };

/** The columns of a record that the check and the conversion need. */
export type StagedRow = Row<
  "migration_record",
  | "number"
  | "line"
  | "raw"
  | "exact"
  | "refusal"
  | "faults"
  | "fingerprint"
  | "external_id"
  | "person"
  | "plan"
  | "verdict"
  | "state"
  | "patient_id"
  | "outcome"
>;

/** A card place and the image that a run put there. Runs of earlier releases noted the hash alone. */
export interface CardPlace extends Partial<StoredImage> {
  rank: number;
  side: number;
  sha256: string;
}

/** What a conversion did to a patient: by this it is verified, and rolled back. */
export interface Outcome {
  /** The patient was made by this run. */
  created: boolean;
  /** `source_fingerprint` of a patient that the run made; absent in runs of earlier releases. */
  fingerprint?: string;
  /** The patient's version after the conversion. */
  version: number;
  /** Every policy of the patient the run wrote or found, as it stood afterwards. */
  policies: { id: number; version: number }[];
  /** The legacy insurances as they stood before, those the run changed or ended. */
  before: { id: number; row: InsuranceRow }[];
  /** Insurances the run added. */
  added: number[];
  /**
   * The companies of the insurances the run wrote, by the insurances' ids in the export: companies may be renamed or deleted
   * later. Absent in runs of earlier releases.
   */
  companies?: Record<number, number | null>;
  /** Card places the run filled, and with which image. */
  cards: CardPlace[];
  /** The patient's cards as they stood before, where the run added, moved or ended some. */
  cards_before?: readonly (PlacedImage & { rank: number })[];
}
