import type { PolicyStatus, ReplicationDirection, ReplicationKind } from "@/generated/rows/enums";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { InsuranceFields } from "@/lib/insurance/fields/fields";
import type { Rank } from "@/lib/insurance/fields/ranks";

/** The words of the stream (design §7). Changes are in the sender's form; each receiver transforms them to its own. */

/** A policy as the policy side tells of it. */
export interface PolicyState extends InsuranceFields {
  id: number;
  status: PolicyStatus;
  rank: Rank | null;
  patient_insurance: number;
  card_images: PlacedImage[];
  created_date: string;
  archived_date: string | null;
}

export type PolicyChange =
  | { kind: "create" | "update" | "delete"; policy: PolicyState }
  /** Deleted for good: the twin and these images are to go too. */
  | { kind: "remove"; policy_id: number; patient_insurance: number; image_keys: string[] };

/** A legacy insurance as the demographics side tells of it. */
export interface InsuranceState extends InsuranceFields {
  id: number;
  policy_id: number;
  rank: Rank;
  created_date: string;
  deleted_date: string | null;
}

export interface PatientIdentity {
  first_name: string;
  last_name: string;
  dob: string;
}

export type PatientChange =
  | { kind: "update"; insurance: InsuranceState }
  | { kind: "delete"; insurance: InsuranceState; reason: "absent" | "replaced" | "superseded" }
  | {
      kind: "create";
      insurance: InsuranceState;
      /** The policy whose card images move to the new one: the one that held its rank until now. */
      images_from: number | null;
      /** Card images already standing at this priority. */
      cards: PlacedImage[];
    }
  /** An empty `insurances` array: every active policy is archived, unranked ones too. */
  | { kind: "deactivate_all" }
  | { kind: "identity"; identity: PatientIdentity }
  /** The card images of a priority as they stand now. */
  | { kind: "cards"; policy_id: number; cards: PlacedImage[] };

/** A published write: what it did, in the order it did it. */
export type ReplicationPayload =
  | { direction: "policies_to_patients"; kind: ChangeKind; changes: PolicyChange[] }
  | { direction: "patients_to_policies"; kind: ChangeKind; changes: PatientChange[] };

export type ChangeKind = ReplicationKind;
export type Direction = ReplicationDirection;
