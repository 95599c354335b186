import { CallError } from "@/components/session/call-error";
import { Notice } from "@/components/ui/notice";
import { outdatedNotice, versioningNotice as text } from "./messages/notices";

/** Warns that the page could not be refreshed. */
export function OutdatedNotice({ error }: { error: Error }) {
  return (
    <Notice tone="warning" live title={outdatedNotice.title}>
      {outdatedNotice.text(explain(error))}
    </Notice>
  );
}

function explain(error: Error): string {
  const status = error instanceof CallError ? error.status : 500;
  if (status === 404) return outdatedNotice.deleted;
  if (status === 401) return outdatedNotice.signedOut;
  return status === 0 ? outdatedNotice.offline : outdatedNotice.failed;
}

/** Warns that Insurance Versioning was turned on or off while the user has a form open. */
export function VersioningChangedNotice({ enabled }: { enabled: boolean }) {
  return (
    <Notice tone="warning" live title={enabled ? text.onTitle : text.offTitle}>
      {enabled ? text.onText : text.offText}
    </Notice>
  );
}
