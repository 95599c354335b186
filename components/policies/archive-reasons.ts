import { capitalize } from "@/components/ui/format";
import { rankPhrase } from "./fields";
import { archiveReasons, replaced } from "./messages/fields";

const REASONS: Record<string, string> = archiveReasons;

/**
 * Says why a policy was archived, for the middle of a sentence. Reasons from API clients are shown as given.
 *
 * @param rank the rank that the policy had, if known
 */
export function archiveReasonText(reason: string, rank: number | null = null): string {
  if (reason === "superseded") return rank === null ? replaced.withoutRank : replaced.withRank(rankPhrase(rank));
  return REASONS[reason] ?? reason.replaceAll("_", " ");
}

/** Says why a policy was archived, as a sentence. */
export const archiveReasonSentence = (reason: string, rank: number | null = null) =>
  capitalize(archiveReasonText(reason, rank));
