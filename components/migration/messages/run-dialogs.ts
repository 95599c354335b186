// Dialogs that load after their page.
import { pluralize } from "@/components/ui/format";
import type { Verdict } from "@/generated/rows/enums";

/** Confirms a conversion. */
export const convertDialog = {
  title: (patients: number) => `Convert ${pluralize(patients, "patient")}?`,
  description: "Applies the results of the check, patient by patient. You can roll back the run later.",
  submit: (patients: number) => `Convert ${pluralize(patients, "patient")}`,
  failed: "The conversion was not started",
  verdicts: {
    create: (count) => `${pluralize(count, "active policy", "active policies")} will be created.`,
    update: (count) => `${pluralize(count, "policy", "policies")} will be updated.`,
    unchanged: (count) => `${pluralize(count, "insurance record stays", "insurance records stay")} unchanged.`,
    archive: (count) => `${pluralize(count, "policy", "policies")} will be imported as history.`,
    refused: (count) =>
      `${pluralize(count, "insurance record is skipped with its patient", "insurance records are skipped with their patients")}.`,
  } satisfies Record<Verdict, (count: number) => string>,
  images: "Card images in the export are added to their policies.",
  edited: "Patients edited since the check are not converted. They are listed for another review.",
  reasonHelp: "Optional. Saved in the history of each policy.",
};

/** Confirms a rollback. */
export const rollBackDialog = {
  title: (run: number) => `Roll back run ${run}?`,
  description:
    "Removes what the run wrote. The export and its findings are kept. To convert the export again, start a new run.",
  submit: (patients: number) => `Roll back ${pluralize(patients, "patient")}`,
  failed: "Nothing was rolled back",
  created: (days: number) =>
    `Patients created by the run are removed with their policies. The removed data is kept with the run for ${pluralize(days, "day")}.`,
  changed: "Patients changed by the run are restored to their earlier state, as new versions.",
  payers: "Payers created or changed by the run are removed or restored, unless they are used elsewhere.",
  edited: "Patients and payers edited since stay as they are and are listed.",
  log: "Earlier events and the audit log are kept.",
  reasonHelp: "Saved with the run.",
};

/** The webhook events that a change to patients causes: one per patient and subscription. */
export function webhookEvents(patients: number, subscriptions: number): string {
  if (subscriptions === 0) return "No client subscribes to patients, so no webhook events are sent.";
  const events = pluralize(patients * subscriptions, "webhook event");
  return `Up to ${events} will be sent: one per patient to ${pluralize(subscriptions, "subscription")}.`;
}
