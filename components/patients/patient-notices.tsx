import { CallError } from "@/components/session/call-error";
import { Notice } from "@/components/ui/notice";

/** Warns that the page could not be refreshed. */
export function Outdated({ problem }: { problem: Error }) {
  return (
    <Notice tone="warning" live title="This page can't be kept up to date">
      {whyOutdated(problem)} What you see is from before; what you typed is kept.
    </Notice>
  );
}

function whyOutdated(problem: Error): string {
  const status = problem instanceof CallError ? problem.status : 500;
  if (status === 404) return "This patient was deleted, or is no longer in your practice.";
  if (status === 401) return "You are signed out.";
  return status === 0 ? "The server can't be reached." : "The server could not read it.";
}

/** The practice was switched while a form is open that only the other interface has. */
export function SwitchedMeanwhile({ enabled }: { enabled: boolean }) {
  return (
    <Notice
      tone="warning"
      live
      title={`Insurance Versioning was ${enabled ? "enabled" : "disabled"} for this practice while you work`}
    >
      {enabled
        ? "What you typed is kept, but can't be saved here any more. Copy what you need, then discard the changes: the policies show after that."
        : "What you have open is kept. Save or cancel it; the insurances by priority show after that."}
    </Notice>
  );
}
