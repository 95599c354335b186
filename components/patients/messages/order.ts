// The panel that changes the order of a patient's policies.
import { pluralize } from "@/components/ui/format";

export const policyOrder = {
  help: "Drag a policy, or use its arrows. By keyboard: press Space on a handle, move it with the arrow keys, and press Space again to drop it.",
  list: "Active policies in order",
  /** A rank without a policy. */
  empty: "Empty",
  move: (policy: string) => `Move ${policy}`,
  moveUp: (policy: string) => `Move ${policy} up`,
  moveDown: (policy: string) => `Move ${policy} down`,
  changed: "These policies were updated by someone else",
  changedHelp: "Your order is based on earlier versions. Start over with the current policies.",
  startOver: "Start over",
  notSaved: "The order was not saved",
  /** The response was lost. */
  mayBeSaved: "The order may have been saved",
  kept: (reason: string) => `${reason} Your order is kept here.`,
  cancel: "Cancel",
  save: "Save order",
  /** Toasts. */
  saved: "New order saved",
  undone: "Previous order restored",
  notUndone: (reason: string) => `The order was not changed back. ${reason}`,
  /** Reason in the version history. */
  undoReason: "Order change undone",
  /** What is lost on leaving, before "will be lost." */
  unsaved: "The new order of the policies",
};

/** What saving the order will do. */
export const orderPreview = {
  checking: "Checking what this changes…",
  title: (policies: number) => `Saving changes the rank of ${pluralize(policies, "policy", "policies")}`,
  failed: "This order can't be saved",
  nothingArchived: "Nothing is archived.",
  archived: (policies: number) => `${pluralize(policies, "policy", "policies")} would be archived.`,
  legacy: "Legacy clients see the new priorities immediately. You can undo this.",
  legacyWithoutRank:
    "Legacy clients see the new priorities immediately, but not policies without a rank. You can undo this.",
};

/** For screen readers while a policy is dragged. `rank` is a phrase such as "primary". */
export const dragAnnouncements = {
  instructions: "Press Space to pick up the policy, arrow keys to move it, Space to drop it, Escape to cancel.",
  pickedUp: (policy: string, rank: string) => `Picked up ${policy}, currently ${rank}.`,
  over: (policy: string, rank: string) => `${policy} is over ${rank}.`,
  dropped: (policy: string, rank: string) => `Dropped ${policy} as ${rank}.`,
  notMoved: (policy: string) => `${policy} was not moved.`,
  canceled: (policy: string, rank: string) => `Canceled. ${policy} stays ${rank}.`,
};
