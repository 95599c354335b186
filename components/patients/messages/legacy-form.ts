// The form with all of a patient's insurance, in a practice without Insurance Versioning.
import { pluralize } from "@/components/ui/format";

/** Headings of the two parts of the page. */
export const legacySections = {
  insurance: "Insurance",
  cards: "Card images",
  /** What is lost on leaving, before "will be lost." */
  unsavedChanges: "Your changes",
  unsavedImage: "The image you haven't uploaded",
  unsavedBoth: "Your changes and the image you haven't uploaded",
};

export const legacyForm = {
  label: "Insurance",
  help: "Saving replaces all insurance for this patient. Every record gets a new ID, including records you didn't change.",
  notSaved: (fields: number) => `Nothing was saved: ${pluralize(fields, "field needs", "fields need")} attention`,
  /** `rank` is a phrase such as "primary". */
  add: (rank: string) => `Add ${rank} insurance`,
  /** In the list of invalid fields. */
  problem: (rank: string, field: string) => `${rank}, ${field}`,
  none: "No insurance on file",
  noneHelp: "Add the patient's insurance.",
  allRemoved: "All insurance removed",
  allRemovedHelp: "Saving removes all insurance. Discard the changes to keep it.",
  /** Toasts. */
  saved: "Insurance replaced",
  discarded: "Changes discarded",
};

/** One insurance in the form. `rank` is a label such as "Primary". */
export const legacyEntry = {
  title: (rank: string) => `${rank} insurance`,
  /** Names an insurance that has no payer and no plan yet. */
  unnamed: "Insurance without a payer",
  rank: (insurance: string) => `Rank of ${insurance}`,
  remove: "Remove insurance",
  /** Beside the heading of a group of fields that is closed. */
  notEntered: "Not entered",
  entered: (fields: number) => `${pluralize(fields, "field")} entered`,
  /** Empty options of selects. */
  self: "Self",
  noChoice: "Not entered",
};

export const legacySaveBar = {
  unsaved: "Unsaved changes",
  blocked: "These changes can't be saved",
  discard: "Discard changes",
  review: "Review and save",
};
