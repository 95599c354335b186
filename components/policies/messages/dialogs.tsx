// Dialogs that archive, restore and delete a policy.
import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

export const archiveDialog = {
  title: (policy: string) => `Archive ${policy}?`,
  description: (rank: string | null) =>
    rank === null
      ? "The policy is no longer active. Its history and card images are kept, and you can restore it."
      : `The patient has no ${rank} coverage until another policy takes this rank. The policy's history and card images are kept, and you can restore it.`,
  submit: "Archive policy",
  /** Toast with an Undo button. */
  done: (policy: string) => `${policy} archived`,
  undone: (policy: string) => `${policy} is active again`,
  undoFailed: (policy: string, reason: string) => `${policy} is still archived. ${reason}`,
  /** The response was lost. */
  undoUncertain: (policy: string, reason: string) => `${policy} may be active again. ${reason}`,
  /** Reason in the version history. */
  undoReason: "Archive undone",
};

export const restoreDialog = {
  title: (policy: string) => `Restore ${policy}?`,
  description: "The policy becomes active again, with its card images. The version history shows who restored it.",
  submit: "Restore policy",
  checking: "Checking what will happen…",
  done: (policy: string) => `${policy} is active again`,
};

export const deleteDialog = {
  title: (policy: string) => `Delete ${policy} permanently?`,
  description: (versions: number, images: number) => {
    const cards = images === 0 ? "" : `, ${pluralize(images, "card image")}`;
    return `This deletes the policy, its ${pluralize(versions, "version")}${cards} and its legacy record. It can't be undone.`;
  },
  submit: "Delete policy permanently",
  /** Label of a text field. `id` is the text to type. */
  confirmMemberId: (id: ReactNode) => <>Type the member ID {id} to confirm</>,
  confirmPolicyId: (id: ReactNode) => <>Type the policy ID {id} to confirm</>,
  reasonHelp: "Optional. Saved with the deletion record.",
  done: (policy: string) => `${policy} deleted permanently`,
};

/** Why a dialog could not make its change. The `may…` titles are for a response that was lost. */
export const writeErrors = {
  archived: "The policy was not archived",
  mayBeArchived: "The policy may have been archived",
  restored: "The policy was not restored",
  mayBeRestored: "The policy may have been restored",
  deleted: "The policy was not deleted",
  mayBeDeleted: "The policy may have been deleted",
  rankTaken: "Another policy has this rank now. Check what will happen, then try again.",
  changed: "Someone else changed this policy after you opened it. Close this dialog, check the policy, and try again.",
};
