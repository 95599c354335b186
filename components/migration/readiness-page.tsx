"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Fragment, useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DownloadButton } from "@/components/ui/download-button";
import { formatNumber } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PrintTimestamp } from "@/components/ui/print-timestamp";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Day, Time } from "@/components/ui/time";
import type { Readiness, UnreadyRecord } from "@/lib/migration/readiness-queries";
import { describeCode } from "@/lib/migration/rules/checks";
import { recordPath, runTrail } from "./paths";
import { ReadinessBar } from "./readiness-bar";
import { PARTS } from "./run-messages";

const ReadinessChart = lazyWithRetry(
  async () => (await import("./readiness-chart")).ReadinessChart,
  () => <div className="bg-sunken size-full animate-pulse rounded-md" />,
);
const SignOffDialog = lazyWithRetry(async () => (await import("./sign-off-dialog")).SignOffDialog);

interface ReadinessPageProps {
  practice: number;
  isAdmin: boolean;
  initial: { readiness: Readiness; unready: UnreadyRecord[]; most: number };
}

/** How ready the practice is for the deadline: a report to read, print and sign. */
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
  const { unready, most } = initial;
  const missing = records - data.parts.verified;
  return (
    <>
      <PageHeader
        trail={runTrail(practice)}
        title="Readiness report"
        meta={
          <>
            Legacy insurances are deprecated from <Day value={deadline.date} /> on
            {deadline.mode === "enforce" ? ", and refused from then on" : ", and still served"}.{" "}
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
      <Section title="Where the practice stands">
        {run ? (
          <div className="border-line bg-raised rounded-md border px-4 py-3">
            <ReadinessBar readiness={data} />
          </div>
        ) : (
          <Notice title="No export was checked yet">Begin a run: until then nobody can say what will convert.</Notice>
        )}
      </Section>
      {days.length > 0 && (
        <Section title="The way there" lead="Records that are converted and verified, as a share of all.">
          <div className="border-line bg-raised h-56 max-w-[720px] rounded-md border p-3">
            <ReadinessChart days={days} deadline={deadline} />
          </div>
          <details className="mt-2">
            <summary className="text-soft min-h-6 cursor-pointer">The figures by day</summary>
            <table aria-label="Readiness by day" className="mt-2 w-full max-w-2xl border-collapse">
              <thead>
                <tr className="border-line text-soft border-b text-left text-sm">
                  <th scope="col" className="h-8 pr-3 font-medium">
                    Day
                  </th>
                  {PARTS.map(({ part, text }) => (
                    <th key={part} scope="col" className="h-8 px-3 text-right font-medium">
                      {text}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {days.map((day) => (
                  <tr key={day.day} className="border-line border-b last:border-0">
                    <th scope="row" className="py-1 pr-3 text-left font-normal">
                      <Day value={day.day} />
                    </th>
                    {PARTS.map(({ part }) => (
                      <td key={part} className="px-3 py-1 text-right tabular-nums">
                        {formatNumber(day[part])}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </Section>
      )}
      {run && (
        <Section
          title="Records that are not ready"
          lead={
            missing > most
              ? `The first ${formatNumber(most)} of ${formatNumber(missing)}, those that need a person first. The CSV file holds all.`
              : `${formatNumber(missing)} of ${formatNumber(records)}.`
          }
        >
          {unready.length === 0 ? (
            <p className="text-soft">Every record is converted and verified.</p>
          ) : (
            <Unready practice={practice} run={run.id} records={unready} />
          )}
        </Section>
      )}
      <Section
        title="Clients that still use legacy insurances"
        lead="In the last 30 days, with the calls that replace theirs."
      >
        {callers.length === 0 ? <p className="text-soft">None.</p> : <Callers callers={callers} />}
      </Section>
      <Section title="Go or no-go">
        {sign_offs.length === 0 && <p className="text-soft">Nobody has signed off yet.</p>}
        <ul className="flex flex-col gap-2">
          {sign_offs.map(({ id, decision, reason, figures, actor, signed_date }) => (
            <li key={id} className="border-line bg-raised break-inside-avoid rounded-md border px-3 py-2">
              <p className="flex flex-wrap items-center gap-x-3">
                <Status kind={decision === "go" ? "good" : "failed"}>{decision === "go" ? "Go" : "No-go"}</Status>
                <span className="text-soft">
                  {actor.name}, <Time value={signed_date} exact />, at {figures.percent} %:{" "}
                  {PARTS.map(({ part, text }) => `${formatNumber(figures.parts[part])} ${text.toLowerCase()}`).join(
                    ", ",
                  )}
                </span>
              </p>
              <p>{reason}</p>
            </li>
          ))}
        </ul>
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

const NEEDS = { person: "failed", refused: "archived", convertible: "pending" } as const;

function Unready({ practice, run, records }: { practice: number; run: number; records: readonly UnreadyRecord[] }) {
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border">
      <table aria-label="Records that are not ready" className="w-full border-collapse">
        <thead>
          <tr className="border-line text-soft border-b text-left text-sm">
            {["Record", "Needs", "Why", "Owner", "Due"].map((name, at) => (
              <th key={name} scope="col" className={`h-9 px-3 font-medium ${at > 2 ? "max-md:hidden" : ""}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map(({ number, line, name, part, codes, reason, owner, due_date }) => (
            <tr key={number} className="border-line border-b last:border-0">
              <th scope="row" className="px-3 py-1.5 text-left font-normal">
                <Link
                  href={recordPath(practice, run, number)}
                  prefetch={false}
                  className="inline-flex min-h-6 min-w-6 items-center hover:underline"
                >
                  {name ?? `Line ${line}`}
                </Link>
              </th>
              <td className="px-3 py-1.5">
                <Status kind={NEEDS[part]}>{PARTS.find((one) => one.part === part)?.text}</Status>
              </td>
              <td className="px-3 py-1.5">
                {codes.map((code) => describeCode(code).title).join("; ")}
                {reason && <span className="text-soft block text-sm">{reason}</span>}
              </td>
              <td className="px-3 py-1.5 max-md:hidden">{owner}</td>
              <td className="px-3 py-1.5 max-md:hidden">{due_date && <Day value={due_date} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Callers({ callers }: { callers: Readiness["callers"] }) {
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border">
      <table aria-label="Clients that still use legacy insurances" className="w-full border-collapse">
        <thead>
          <tr className="border-line text-soft border-b text-left text-sm">
            {["Client", "Endpoint", "Last", "Reads", "Writes"].map((name, at) => (
              <th key={name} scope="col" className={`h-9 px-3 font-medium ${at > 2 ? "text-right" : ""}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {callers.map(({ client_id, name, endpoint, last, reads, writes, replacement }) => (
            <Fragment key={`${client_id} ${endpoint}`}>
              <tr>
                <th scope="row" className="px-3 pt-1.5 text-left font-normal">
                  {name}
                </th>
                <td className="px-3 pt-1.5 font-mono text-sm">{endpoint}</td>
                <td className="px-3 pt-1.5">
                  <Day value={last} />
                </td>
                <td className="px-3 pt-1.5 text-right tabular-nums">{formatNumber(reads)}</td>
                <td className="px-3 pt-1.5 text-right tabular-nums">{formatNumber(writes)}</td>
              </tr>
              <tr className="border-line border-b last:border-0">
                <td colSpan={5} className="text-soft px-3 pb-1.5 text-sm">
                  Instead: <span className="font-mono break-words">{replacement}</span>
                </td>
              </tr>
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
