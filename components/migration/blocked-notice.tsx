import { ButtonLink } from "@/components/ui/button-link";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import type { RunTotals } from "@/lib/migration/runs/run-counts";
import { runPath } from "./paths";

interface BlockedNoticeProps {
  practice: number;
  run: number;
  blocked: RunTotals["blocked"];
}

/** Warns that records with open errors can't be converted, and links to the errors. */
export function BlockedNotice({ practice, run, blocked }: BlockedNoticeProps) {
  if (blocked.records === 0) return null;
  return (
    <div className="mb-6">
      <Notice
        tone="warning"
        title={`Resolve ${pluralize(blocked.findings, "open error")} in ${pluralize(blocked.records, "record")} before you convert`}
      >
        Accept a proposed fix, correct the value, or skip the record with a reason.{" "}
        <ButtonLink
          href={`${runPath(practice, run)}/findings?severity=error&decision=open`}
          size="small"
          prefetch={false}
        >
          Review the errors
        </ButtonLink>
      </Notice>
    </div>
  );
}
