import { z } from "zod";
import {
  createdDate,
  day,
  defaulted,
  deletedDate,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const errorDescriptionCode = z.enum([
  "Internal processing error has occurred.",
  "Invalid password for receiver",
  "Invalid password for sender.",
  "No password on file for receiver.",
  "No password on file for sender.",
  "Receiver ID not on file.",
  "Request timed out before response could be received.",
  "Required segment UIB is missing.",
  "Required segment UIH is missing.",
  "Required segment UIT is missing.",
  "Required segment UIZ is missing.",
  "Sender ID not on file.",
]);

/** A request for the prescriptions that pharmacies filled for a patient. */
export const medicationHistoryDownloads = defineResource({
  name: "medication_history_downloads",
  title: "RxHistoryDownload",
  noun: "medication history download",
  owner: "patient",
  operations: ["list", "create", "get"],
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    eligibility: optional(reference),
    error_code: optional(
      z.enum([
        "Communication problem - try again later",
        "Receiver System Error",
        "Receiver unable to process",
        "Transaction rejected",
      ]),
    ),
    error_description: optional(text()),
    error_description_code: optional(errorDescriptionCode),
    from_date: optional(day),
    is_active: defaulted(z.boolean(), false),
    num_items: readOnly(text(), "0"),
    patient: patientColumn,
    pbm_member_id: optional(text(100)),
    pbm_name: readOnly(text(), ""),
    pbm_surescripts_participant_id: readOnly(text(), ""),
    practice: practiceColumn,
    signed_by: readOnly(reference.nullable(), null),
    signed_date: readOnly(time.nullable(), null),
    success: defaulted(z.boolean(), false),
    until_date: optional(day),
  },
  filters: [],
  // No pharmacy benefit manager is connected, so requests fail as the network reports it. Fills from elsewhere are loaded from
  // files.
  beforeWrite: ({ data }) => {
    if (data.success || data.error_code !== null) return data;
    return {
      ...data,
      error_code: "Communication problem - try again later" as const,
      error_description: data.error_description ?? "No medication history network is connected.",
    };
  },
});
