import { CallError } from "@/components/session/call-error";
import { Notice } from "@/components/ui/notice";

/** Warns that the page could not be refreshed. */
export function OutdatedNotice({ error }: { error: Error }) {
  return (
    <Notice tone="warning" live title="This page can't be refreshed">
      {explain(error)} What you see may be out of date. What you typed is kept.
    </Notice>
  );
}

function explain(error: Error): string {
  const status = error instanceof CallError ? error.status : 500;
  if (status === 404) return "This patient was deleted or is no longer in your practice.";
  if (status === 401) return "You are signed out.";
  return status === 0 ? "The server can't be reached." : "The server could not load the patient.";
}

/** Warns that Insurance Versioning was turned on or off while the user has a form open. */
export function VersioningChangedNotice({ enabled }: { enabled: boolean }) {
  return (
    <Notice
      tone="warning"
      live
      title={`Insurance Versioning was turned ${enabled ? "on" : "off"} for this practice while you were working`}
    >
      {enabled
        ? "What you typed is kept but can no longer be saved here. Copy what you need, then discard the changes to see the policies."
        : "Your open form is kept. Save or cancel it to see insurance by priority."}
    </Notice>
  );
}
