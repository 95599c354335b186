import { z } from "zod";
import { calendarDate } from "@/lib/platform/http/validation";
import { insuranceInputShape } from "./fields";

// The policy in requests: one schema for the API and for the form in the browser.

export const rank = z.union([z.literal(1), z.literal(2), z.literal(3)], {
  error: (issue) =>
    issue.input === undefined ? undefined : "Must be 1 (primary), 2 (secondary), 3 (tertiary) or null.",
});

/** Fields that the server sets. They are accepted and ignored, so that a client can send back what it read. */
const readOnly = Object.fromEntries(
  [
    "id",
    "patient",
    "practice",
    "status",
    "version",
    "patient_insurance",
    "card_images",
    "created_date",
    "modified_date",
    "archived_date",
    "archive_reason",
  ].map((field) => [
    field,
    z.unknown().optional().meta({ readOnly: true, description: "Set by the server. Ignored in requests." }),
  ]),
);

const identity = {
  patient_first_name: z.string().min(1).max(70),
  patient_last_name: z.string().min(1).max(70),
  patient_dob: calendarDate,
};

/** Body of POST and PUT: the patient's identity is required, so that no write can hit the wrong patient (spec, rule 2). */
export const policyInput = z
  .strictObject({
    ...readOnly,
    ...identity,
    ...insuranceInputShape,
    rank: rank.nullable().optional(),
  })
  .meta({ title: "PolicyInput" });

/** Body of PATCH: like PUT, but the identity is not required. */
export const policyPatch = policyInput
  .partial({ patient_first_name: true, patient_last_name: true, patient_dob: true })
  .meta({ title: "PolicyPatch" });
export type PolicyInput = z.output<typeof policyInput>;
export type PolicyPatch = z.output<typeof policyPatch>;
