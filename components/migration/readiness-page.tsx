"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DownloadButton } from "@/components/ui/download-button";
import { formatNumber } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PrintTimestamp } from "@/components/ui/print-timestamp";
import { Section } from "@/components/ui/section";
import { Day } from "@/components/ui/time";
import type { Readiness, UnreadyRecord } from "@/lib/migration/readiness/queries";
import { LegacyCallers } from "./legacy-callers";
import { runTrail } from "./paths";
import { ReadinessBar } from "./readiness-bar";
import { ReadinessHistory } from "./readiness-history";
import { SignOffs } from "./sign-offs";
import { UnreadyRecords } from "./unready-records";

const SignOffDialog = lazyWithRetry(async () => (await import("./sign-off-dialog")).SignOffDialog);

interface ReadinessPageProps {
  practice: number;
  isAdmin: boolean;
  initial: { readiness: Readiness; unready: UnreadyRecord[]; limit: number };
}

/** Shows the readiness report: how far the practice is from the deadline, to print and sign off. */
export function ReadinessPage({ practice, isAdmin, initial }: ReadinessPageProps) {
  const path = `practices/${practice}/migrations/readiness`;
  const { data, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<Readiness>(path, { signal }),
    initialData: initial.readiness,
    staleTime: 10_000,
  });
  const [signing, setSigning] = useState(false);
  const { run, records, days, deadline, callers, sign_offs } = data;
  const { unready, limit } = initial;
  const missing = records - data.parts.verified;
  return (
    <>
      <PageHeader
        trail={runTrail(practice)}
        title="Readiness report"
        meta={
          <>
            Legacy insurance is deprecated as of <Day value={deadline.date} />
            {deadline.mode === "enforce" ? " and rejected from that date on" : " and still accepted"}.{" "}
            <PrintTimestamp title={data.practice_name} />
          </>
        }
        actions={
          <>
            <DownloadButton path={`${path}/export`}>CSV</DownloadButton>
            <Button onClick={() => window.print()}>Print</Button>
            {isAdmin && (
              <Button kind="primary" onClick={() => setSigning(true)}>
                Sign off
              </Button>
            )}
          </>
        }
      />
      <Section title="Progress">
        {run ? (
          <div className="border-line bg-raised rounded-md border px-4 py-3">
            <ReadinessBar readiness={data} />
          </div>
        ) : (
          <Notice title="No export checked yet">Start a run to see which records can be converted.</Notice>
        )}
      </Section>
      {days.length > 0 && <ReadinessHistory days={days} deadline={deadline} />}
      {run && (
        <Section
          title="Records that are not ready"
          lead={
            missing > limit
              ? `The first ${formatNumber(limit)} of ${formatNumber(missing)}, starting with those that need review. The CSV file has all of them.`
              : `${formatNumber(missing)} of ${formatNumber(records)}.`
          }
        >
          {unready.length === 0 ? (
            <p className="text-soft">Every record is converted and verified.</p>
          ) : (
            <UnreadyRecords practice={practice} run={run.id} records={unready} />
          )}
        </Section>
      )}
      <Section
        title="Clients that still use legacy insurance"
        lead="In the last 30 days, with the calls that replace them."
      >
        {callers.length === 0 ? <p className="text-soft">None.</p> : <LegacyCallers callers={callers} />}
      </Section>
      <Section title="Go or no-go">
        <SignOffs signOffs={sign_offs} />
      </Section>
      {signing && (
        <SignOffDialog
          practice={practice}
          readiness={data}
          onClose={() => setSigning(false)}
          onDone={async () => {
            setSigning(false);
            await refetch();
          }}
        />
      )}
    </>
  );
}
