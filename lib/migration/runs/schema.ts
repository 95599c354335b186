import type { RecordState, RunSource } from "@/generated/rows/enums";
import type { Origin } from "@/lib/access/identity/origin";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { CompanyChange } from "@/lib/insurance/payers/commands/import-companies";
import type { RestoredCompanies } from "@/lib/insurance/payers/commands/restore-companies";
import type { PatientPlan } from "@/lib/migration/plan/plan-patient";
import type { Verdict } from "@/lib/migration/plan/verdict";
import type { Columns } from "@/lib/migration/record/columns";
import type { RowFault } from "@/lib/migration/record/patient-rows";
import type { RawRecord } from "@/lib/migration/record/raw-record";
import type { RunState } from "@/lib/migration/runs/run-states";
import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** An insurance company of an export, with its id there. */
export interface RunCompany {
  externalId: number;
  fields: { carrier: string } & Record<string, unknown>;
}

/** A run as its work needs it. */
export interface RunRow {
  id: number;
  practice_id: number;
  /** An export, or the practice's own legacy records. */
  source: RunSource;
  source_name: string;
  source_size: number;
  /** `YYYY-MM-DD` */
  as_of: string;
  columns: Columns | null;
  companies: RunCompany[];
  /** The run whose export this one corrects. */
  follows: number | null;
  state: RunState;
  stopped_in: RunState | null;
  error: string | null;
  /** How often its work was taken up since it last made progress. */
  attempts: number;
  done: number;
  total: number;
  since_date: string;
  since_done: number;
  origin: Origin;
  verification: Verification | null;
  /** Companies the conversion made; null until it brought them in. */
  created_companies: number[] | null;
  /** What the conversion did to companies. */
  company_changes: CompanyChange[];
  /** What rolling back did with them; null until then. */
  roll_back: RollBackResult | null;
  /** When its originals were deleted; null while they are kept. */
  purged_date: string | null;
  created_date: string;
  changed_date: string;
}

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

/** A record as the check and the conversion take it up. */
export interface StagedRow {
  number: number;
  line: number;
  raw: RawRecord | null;
  /** As JSON, where it holds characters that `raw` can't. */
  exact: string | null;
  refusal: string | null;
  /** Rejected rows of the patient; null where there are none. */
  faults: RowFault[] | null;
  fingerprint: string | null;
  external_id: string | null;
  person: string | null;
  plan: PatientPlan | null;
  verdict: Verdict | null;
  state: RecordState;
  patient_id: number | null;
  outcome: Outcome | null;
}

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
  before: { id: number; row: Record<string, unknown> }[];
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
