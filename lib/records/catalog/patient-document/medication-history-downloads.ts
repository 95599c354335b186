import { z } from "zod";
import { day, reference, text, time } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defaulted,
  defineResource,
  deletedDate,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  type Write,
} from "@/lib/records/engine/schema";

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

/** A request for what pharmacies filled for a patient. */
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
  beforeWrite: (write) => ({ ...write.data, ...unanswered(write) }),
});

/**
 * A request nobody answers: this server is connected to no pharmacy benefit manager. What became of it is said as the network
 * says it; fills that came otherwise are loaded.
 */
function unanswered({ data }: Write): Data {
  if (data.success === true || data.error_code !== null) return {};
  return {
    error_code: "Communication problem - try again later",
    error_description: data.error_description ?? "No medication history network is connected.",
  };
}
