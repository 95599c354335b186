"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DownloadButton } from "@/components/ui/download-button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PrintTimestamp } from "@/components/ui/print-timestamp";
import { Section } from "@/components/ui/section";
import { Day } from "@/components/ui/time";
import type { Readiness, UnreadyRecord } from "@/lib/migration/readiness/queries";
import { LegacyCallers } from "./legacy-callers";
import { readinessPage as text } from "./messages/readiness";
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
        title={text.title}
        meta={
          <>
            {(deadline.mode === "enforce" ? text.enforced : text.announced)(<Day value={deadline.date} />)}{" "}
            <PrintTimestamp title={data.practice_name} />
          </>
        }
        actions={
          <>
            <DownloadButton path={`${path}/export`}>{text.csv}</DownloadButton>
            <Button onClick={() => window.print()}>{text.print}</Button>
            {isAdmin && (
              <Button kind="primary" onClick={() => setSigning(true)}>
                {text.signOff}
              </Button>
            )}
          </>
        }
      />
      <Section title={text.progress}>
        {run ? (
          <div className="border-line bg-raised rounded-md border px-4 py-3">
            <ReadinessBar readiness={data} />
          </div>
        ) : (
          <Notice title={text.none}>{text.noneHelp}</Notice>
        )}
      </Section>
      {days.length > 0 && <ReadinessHistory days={days} deadline={deadline} />}
      {run && (
        <Section
          title={text.unready}
          lead={missing > limit ? text.unreadyFirst(limit, missing) : text.unreadyCount(missing, records)}
        >
          {unready.length === 0 ? (
            <p className="text-soft">{text.allReady}</p>
          ) : (
            <UnreadyRecords practice={practice} run={run.id} records={unready} />
          )}
        </Section>
      )}
      <Section title={text.callers} lead={text.callersLead}>
        {callers.length === 0 ? <p className="text-soft">{text.noCallers}</p> : <LegacyCallers callers={callers} />}
      </Section>
      <Section title={text.signOffs}>
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
