import { capitalize } from "@/components/ui/format";

const REASONS: Record<string, string> = {
  archived_on_request: "on request",
  superseded: "another policy took its rank",
  absent_from_legacy_update: "left out of an update by a legacy client",
  replaced_by_legacy_update: "replaced with all others by a legacy update",
  legacy_insurances_emptied: "a legacy update removed all insurances",
  imported_history: "a past insurance when it was imported",
};

/** Says why a policy was archived, for the middle of a sentence. Reasons from API clients are shown as given. */
export const archiveReasonText = (reason: string) => REASONS[reason] ?? reason.replaceAll("_", " ");

/** Says why a policy was archived, as a sentence. */
export const archiveReasonSentence = (reason: string) => capitalize(archiveReasonText(reason));
