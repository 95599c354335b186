import type { PolicyStatus, ReplicationDirection, ReplicationKind } from "@/generated/rows/enums";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { InsuranceFields } from "@/lib/insurance/fields/fields";
import type { Rank } from "@/lib/insurance/fields/limits";

// The payloads of replication events, in the form of the sending store. The receiving store maps them.

/** A policy in a replication event. */
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
  /** The policy was purged: its legacy insurance and these images are deleted too. */
  | { kind: "remove"; policy_id: number; patient_insurance: number; image_keys: string[] };

/** A legacy insurance in a replication event. */
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
      /** The policy that held the rank until now. Its card images move to the new policy. */
      images_from: number | null;
      /** The card images already at this priority. */
      cards: PlacedImage[];
    }
  /** An empty `insurances` array: every active policy is archived, unranked ones too. */
  | { kind: "deactivate_all" }
  | { kind: "identity"; identity: PatientIdentity }
  /** The card images now at the priority of this policy. */
  | { kind: "cards"; policy_id: number; cards: PlacedImage[] };

/** The changes in one write, in order. */
export type ReplicationPayload =
  | { direction: "policies_to_patients"; kind: ChangeKind; changes: PolicyChange[] }
  | { direction: "patients_to_policies"; kind: ChangeKind; changes: PatientChange[] };

export type ChangeKind = ReplicationKind;
export type Direction = ReplicationDirection;
