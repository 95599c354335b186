import { capitalize } from "@/components/ui/format";

const REASONS: Record<string, string> = {
  archived_on_request: "on request",
  superseded: "replaced by another policy",
  absent_from_legacy_update: "omitted from an update by a legacy client",
  replaced_by_legacy_update: "all insurance was replaced by a legacy update",
  legacy_insurances_emptied: "a legacy update removed all insurance",
  imported_history: "already ended when it was imported",
};

/** Says why a policy was archived, for the middle of a sentence. Reasons from API clients are shown as given. */
export const archiveReasonText = (reason: string) => REASONS[reason] ?? reason.replaceAll("_", " ");

/** Says why a policy was archived, as a sentence. */
export const archiveReasonSentence = (reason: string) => capitalize(archiveReasonText(reason));
