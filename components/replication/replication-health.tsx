import Link from "next/link";
import type { ReactNode } from "react";
import { formatNumber } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import type { PracticeStream } from "@/lib/sync/staff-queries";
import { formatDuration } from "./directions";

/** Lag, pending and failed, each with the way to what it counts. */
export function ReplicationHealth({ practice, health }: { practice: number; health: PracticeStream }) {
  const { pending, failed, lag_seconds: lag } = health;
  const to = (status: string) => `/practices/${practice}/stream?status=${status}`;
  return (
    <dl className="border-line bg-raised mb-3 grid grid-cols-1 gap-x-6 gap-y-2 rounded-md border px-4 py-3 min-[420px]:grid-cols-3">
      <Part label="Lag, by the oldest pending">
        {pending === 0 ? (
          <Status kind="good">None</Status>
        ) : (
          <Status kind={lag > 60 ? "warning" : "pending"}>{formatDuration(lag)}</Status>
        )}
      </Part>
      <Part label="Pending">
        {pending === 0 ? (
          <span>0</span>
        ) : (
          <Link href={to("pending")} className="inline-flex min-h-6 min-w-6 items-center underline">
            {formatNumber(pending)}
          </Link>
        )}
      </Part>
      <Part label="Failed">
        {failed === 0 ? (
          <span>0</span>
        ) : (
          <Link href={to("failed")} className="inline-flex min-h-6 min-w-6 items-center underline">
            <Status kind="failed">{formatNumber(failed)}</Status>
          </Link>
        )}
      </Part>
    </dl>
  );
}

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-soft text-sm">{label}</dt>
      <dd className="mt-0.5 font-medium tabular-nums">{children}</dd>
    </div>
  );
}
