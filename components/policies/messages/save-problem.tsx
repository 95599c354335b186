// Why a policy could not be saved, above its form.
import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

export const saveProblem = {
  notSaved: "Not saved",
  notAdded: "Not added",
  /** An error of a field that the form does not show. */
  fieldError: (label: string, error: string) => `${label}: ${error}`,
  keptAfter: (reason: string) => `${reason} What you typed is kept.`,
  kept: "What you typed is kept.",
  rankTaken: "Not saved yet: another policy has this rank now",
  changed: "Not saved yet: this policy was updated by someone else",
  compareHelp: "What you typed is kept. Compare your changes with theirs, choose what to keep, and save again.",
  saveAgainHelp: "What you typed is kept. Save again to see what they changed.",
  compare: "Compare",
  deleted: "Not saved: this policy was deleted permanently",
  archived: "Not saved: this policy is archived",
  archivedHelp: (page: (label: string) => ReactNode) => (
    <>What you typed is kept. Restore the policy {page("on its page (opens a new tab)")}, then save again.</>
  ),
  patientChanged: "Not saved: the patient's record has changed",
  patientChangedHelp:
    "The name and date of birth above are now up to date. Check that this is the right patient, then save again.",
  connectionLost: "Connection lost. We couldn't confirm that your change was saved.",
  serverError: "Server error. We couldn't confirm that your change was saved.",
  uncertainHelp: "What you typed is kept. Check the connection and try again. We'll check before saving again.",
};

/** The comparison of what the user typed with what someone else has saved. */
export const conflictDialog = {
  title: "This policy was updated by someone else",
  /** `saved` is a time. */
  description: (current: number, saved: ReactNode, base: number) => (
    <>
      Version {current} was saved {saved}. You started from version {base}. What you typed is kept. Choose a value for
      each field, then save.
    </>
  ),
  undecided: (fields: number) => `${pluralize(fields, "field")} to decide`,
  decided: "All fields decided",
  back: "Back to the form",
  save: "Save changes",
  allTheirs: "Keep all theirs",
  allMine: "Keep all mine",
  /** After the label of a field. */
  was: (value: string) => ` (was ${value})`,
  bothChanged: (value: string) => `: you both changed it (was ${value})`,
  theirs: "Theirs:",
  mine: "Mine:",
  /** A field without a value. */
  empty: "empty",
};
