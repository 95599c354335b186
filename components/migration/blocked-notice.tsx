import { ButtonLink } from "@/components/ui/button-link";
import { Notice } from "@/components/ui/notice";
import type { RunTotals } from "@/lib/migration/runs/run-counts";
import { blocked as text } from "./messages/run";
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
      <Notice tone="warning" title={text.title(blocked.records, blocked.findings)}>
        {text.help}{" "}
        <ButtonLink
          href={`${runPath(practice, run)}/findings?severity=error&decision=open`}
          size="small"
          prefetch={false}
        >
          {text.review}
        </ButtonLink>
      </Notice>
    </div>
  );
}
