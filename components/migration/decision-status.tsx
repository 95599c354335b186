import { Status, type StatusKind } from "@/components/ui/status";
import type { FindingView } from "@/lib/migration/check/review-queries";
import { decisionStatus as text } from "./messages/review";

const KINDS: Record<FindingView["decision"], Record<FindingView["severity"], StatusKind>> = {
  open: { error: "failed", warning: "warning" },
  accepted: { error: "good", warning: "good" },
  skipped: { error: "archived", warning: "archived" },
};

export function DecisionStatus({
  finding,
}: {
  finding: Pick<FindingView, "decision" | "severity" | "reason" | "fix">;
}) {
  const { decision, severity, reason, fix } = finding;
  const texts = {
    open: severity === "error" ? text.openError : text.openWarning,
    accepted: fix?.corrected ? text.corrected : text.accepted,
    skipped: text.skipped,
  };
  return (
    <span title={reason ?? undefined}>
      <Status kind={KINDS[decision][severity]}>{texts[decision]}</Status>
    </span>
  );
}
