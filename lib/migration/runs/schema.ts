import type { RecordState } from "@/generated/rows/enums";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { RestoredCompanies } from "@/lib/insurance/payers/commands/import-companies";
import type { Row } from "@/lib/platform/db/rows";
import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** A payer of an export, with its ID there. */
export interface RunCompany {
  externalId: number;
  fields: { carrier: string } & Record<string, unknown>;
}

/** The columns of a run that its work needs. */
export type RunRow = Omit<Row<"migration_run">, "attempts" | "source_fingerprint" | "purging" | "counts"> & {
  /** Counts of the records up to `done` since the work began, not stored. Missing if another process did part of the work. */
  counted?: RecordGroup[] | undefined;
};

/** The result of a rollback, apart from its records. */
export interface RollBackResult {
  companies: RestoredCompanies;
}

/** The result of a verification. */
export interface Verification {
  records: number;
  /** Records edited since the conversion. Both stores must still agree, but no longer match the export. */
  changed_since: number;
  policies: number;
  images: number;
  /** Images read from the store to compare their hashes. */
  images_read: number;
  /** Records with differences. */
  different: number;
}

export type { RecordState };

/** Records of a run with the same state and verdict, and what they add up to. */
export type RecordGroup = Row<
  "migration_record",
  "state" | "verdict" | "creates" | "updates" | "unchanged" | "archives" | "refused" | "blockers"
> & {
  /** The part of the practice's readiness that they count toward. */
  part: keyof Row<"migration_day", "verified" | "convertible" | "person" | "refused">;
  is_blocked: boolean;
  records: number;
};

/** Findings of one code. */
export type FindingGroup = Row<"migration_finding", "code" | "severity"> & {
  count: number;
  open: number;
  accepted: number;
  skipped: number;
  /** Open findings with a proposed fix. */
  fixable: number;
};

/** What a run counts. Groups of several sets of records add up to the groups of all. */
export interface RunGroups {
  records: RecordGroup[];
  findings: FindingGroup[];
}

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
  | "insurance_ids"
  | "past_ids"
  | "plan"
  | "verdict"
  | "state"
  | "patient_id"
  | "outcome"
>;

/** A card place and the image that a run stored there. Runs of earlier releases recorded the hash only. */
export interface CardPlace extends Partial<StoredImage> {
  rank: number;
  side: number;
  sha256: string;
}

/** What a conversion did to a patient, for verification and rollback. */
export interface Outcome {
  /** The run created the patient. */
  created: boolean;
  /** `source_fingerprint` of a patient that the run created; absent in runs of earlier releases. */
  fingerprint?: string;
  /**
   * Hash of all rows of a patient that the conversion created without card images. Verification compares it to find patients that have
   * not changed.
   */
  rows?: string;
  /** The patient's version after the conversion. */
  version: number;
  /** Every policy of the patient that the run wrote or found, with its version after the conversion. */
  policies: { id: number; version: number }[];
  /** The legacy insurances that the run changed or ended, as they were before. */
  before: { id: number; row: InsuranceRow }[];
  /** Insurances the run added. */
  added: number[];
  /**
   * The payers of the insurances that the run wrote, by the insurances' IDs in the export, because payers can be renamed
   * or deleted later. Absent in runs of earlier releases.
   */
  companies?: Record<number, number | null>;
  /** Card places that the run filled, with their images. */
  cards: CardPlace[];
  /** The patient's cards before the run, if it added, moved or ended some. */
  cards_before?: readonly (PlacedImage & { rank: number })[];
}

/** Reports the progress of a run, and stops it after the current batch. */
export interface WorkOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((run: RunRow) => void) | undefined;
}
