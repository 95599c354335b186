const ARCHIVE_REASONS: Record<string, string> = {
  archived_on_request: "on request",
  superseded: "another policy took its rank",
  absent_from_legacy_update: "left out of an update by a legacy client",
  replaced_by_legacy_update: "replaced with all others by a legacy update",
  legacy_insurances_emptied: "a legacy update ended all insurances",
  imported_history: "a past insurance when it was imported",
};

/** Why a policy was archived: our own reasons in words, others as they were given. */
export const archiveReasonText = (reason: string) => ARCHIVE_REASONS[reason] ?? reason.replaceAll("_", " ");

/** The same, as words that stand alone. */
export function archiveReasonSentence(reason: string): string {
  const words = archiveReasonText(reason);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
