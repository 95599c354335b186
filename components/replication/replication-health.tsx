import Link from "next/link";
import type { ReactNode } from "react";
import { formatNumber } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import type { PracticeReplication } from "@/lib/insurance/replication/staff-queries";
import { syncHealth as text } from "./messages/sync";

const LATE_SECONDS = 60;

/** Shows the replication lag, and how many events are pending or failed. The counts link to the events. */
export function ReplicationHealth({ practice, health }: { practice: number; health: PracticeReplication }) {
  const { pending, failed, lag_seconds: lag } = health;
  const path = `/practices/${practice}/stream`;
  return (
    <dl className="border-line bg-raised mb-3 grid grid-cols-1 gap-x-6 gap-y-2 rounded-md border px-4 py-3 min-[420px]:grid-cols-3">
      <Figure label={text.oldest}>
        {pending === 0 ? (
          <Status kind="good">{text.none}</Status>
        ) : (
          <Status kind={lag > LATE_SECONDS ? "warning" : "pending"}>{formatDuration(lag)}</Status>
        )}
      </Figure>
      <Figure label={text.pending}>
        <Count count={pending} href={`${path}?status=pending`}>
          {formatNumber(pending)}
        </Count>
      </Figure>
      <Figure label={text.failed}>
        <Count count={failed} href={`${path}?status=failed`}>
          <Status kind="failed">{formatNumber(failed)}</Status>
        </Count>
      </Figure>
    </dl>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-soft text-sm">{label}</dt>
      <dd className="mt-0.5 font-medium tabular-nums">{children}</dd>
    </div>
  );
}

function Count({ count, href, children }: { count: number; href: string; children: ReactNode }) {
  if (count === 0) return <span>0</span>;
  return (
    <Link href={href} className="inline-flex min-h-6 min-w-6 items-center underline">
      {children}
    </Link>
  );
}

/** Formats a duration: `3 s`, `12 min`, `5 h`, `2 days`. */
function formatDuration(seconds: number): string {
  if (seconds < 90) return text.seconds(seconds);
  if (seconds < 5_400) return text.minutes(Math.round(seconds / 60));
  return seconds < 172_800 ? text.hours(Math.round(seconds / 3_600)) : text.days(Math.round(seconds / 86_400));
}
