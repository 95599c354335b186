// What happens to the policy that has a rank which another policy takes, and the preview of the effects.
import { pluralize } from "@/components/ui/format";

/** Radio buttons for the policy that has the rank. */
export const rankChoice = {
  title: (holder: string, rank: string) => `${holder} is currently ${rank}`,
  swap: "Swap",
  swapHelp: (holder: string, rank: string) => `${holder} becomes ${rank}.`,
  move: (holder: string, rank: string) => `Move ${holder} to ${rank}`,
  moveHelp: "The next free rank.",
  archive: (holder: string) => `Archive ${holder}`,
  archiveHelp: "It is no longer active. You can restore it.",
  previewFailed: "Couldn't preview this",
};

/** The effects of a change, one sentence for each policy. `rank` is a word such as "primary". */
export const effectPreview = {
  title: "What will happen",
  none: "Nothing would change.",
  /** A policy that is not saved yet. */
  newPolicy: "The new policy",
  restored: (policy: string, rank: string | null, images: number) => {
    const place = rank === null ? "without a rank" : `as ${rank}`;
    return images === 0
      ? `${policy} becomes active again ${place}.`
      : `${policy} becomes active again ${place}, with ${pluralize(images, "card image")}.`;
  },
  archived: (policy: string) => `${policy} is archived. Its history and card images are kept.`,
  created: (policy: string, rank: string | null) =>
    rank === null ? `${policy} is added without a rank.` : `${policy} is added as ${rank}.`,
  deleted: (policy: string) => `${policy} is deleted permanently.`,
  updated: (policy: string, rank: string | null) =>
    rank === null ? `${policy} is updated and stays without a rank.` : `${policy} is updated and stays ${rank}.`,
  /** The policy had no rank. */
  gainsRank: (policy: string, rank: string) => `${policy} becomes ${rank}.`,
  losesRank: (policy: string, from: string) => `${policy}, currently ${from}, loses its rank.`,
  movesRank: (policy: string, from: string, to: string) => `${policy}, currently ${from}, becomes ${to}.`,
};

/** Radio buttons for the rank of a restored policy whose former rank another policy has. */
export const restoreRank = {
  title: (rank: string) => `Another policy is now ${rank}. Restore this one as:`,
  none: "Active without a rank",
  /** After the rank, in a lighter color. */
  taken: (holder: string) => `(currently ${holder})`,
  free: "(free)",
};
