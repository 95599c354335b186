"use client";

import Link from "next/link";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { formatNumber, pluralize } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { allows } from "@/lib/migration/rules/run-states";
import type { RunPage } from "@/lib/migration/run-page-queries";
import type { RecordState } from "@/lib/migration/schema/run";
import { Originals } from "./originals";
import { runCall, runPath } from "./paths";
import { RECORD_STATES } from "./run-messages";

const ConvertDialog = lazyWithRetry(async () => (await import("./run-dialogs")).ConvertDialog);
const RollBackDialog = lazyWithRetry(async () => (await import("./run-dialogs")).RollBackDialog);

interface StepProps {
  practice: number;
  data: RunPage;
  isAdmin: boolean;
  canAct: boolean;
  refresh: () => Promise<unknown>;
}

const SHOWN: readonly RecordState[] = [
  "checked",
  "converted",
  "verified",
  "different",
  "left_out",
  "stale",
  "rolled_back",
  "kept",
];
const DONE = ["converted", "verified", "different"] as const;

/** The conversion of a run: what it will do, what it has done, and the way back. */
export function ConvertStep({ practice, data, isAdmin, canAct, refresh }: StepProps) {
  const { run, totals } = data;
  const [open, setOpen] = useState<"convert" | "roll-back" | null>(null);
  const { blocked, states, patients, left_out } = totals;
  const written = DONE.reduce((sum, state) => sum + (states[state] ?? 0), 0);
  const waiting = (states.checked ?? 0) + (states.stale ?? 0) - (run.state === "checked" ? patients.refused : 0);
  const mayConvert = allows(run, "convert") && waiting > 0;
  // What a run did to the practice's own records brought both sides in step: there is nothing to take back.
  const mayRollBack =
    run.source === "file" && (written > 0 || run.stopped_in === "rolling_back") && allows(run, "roll_back");
  const close = () => setOpen(null);
  const path = runCall(practice, run.id);
  return (
    <>
      {blocked.records > 0 && (
        <div className="mb-5">
          <Notice tone="warning" title={`${pluralize(blocked.records, "record")} must be decided on first`}>
            An error keeps each of them from being converted.{" "}
            <ButtonLink
              href={`${runPath(practice, run.id)}/findings?severity=error&decision=open`}
              size="small"
              prefetch={false}
            >
              Review the errors
            </ButtonLink>
          </Notice>
        </div>
      )}
      {(states.stale ?? 0) > 0 && (
        <div className="mb-5">
          <Notice
            tone="warning"
            title={`${pluralize(states.stale ?? 0, "record")} changed here between the check and the conversion`}
          >
            They were not converted. They are shown as they would be done now: look at them, and convert again.
          </Notice>
        </div>
      )}
      <Section
        title="Records"
        lead={
          run.state === "checked"
            ? `${pluralize(Math.max(0, waiting), "patient")} will be converted, ${formatNumber(left_out)} are left out. Each patient is written whole or not at all; versions name this run.`
            : "Where each patient of the export stands."
        }
        actions={
          isAdmin && (
            <>
              {mayRollBack && (
                <Button kind="danger" onClick={() => setOpen("roll-back")}>
                  Roll back this run
                </Button>
              )}
              {mayConvert && (
                <Button kind="primary" disabled={blocked.records > 0} onClick={() => setOpen("convert")}>
                  Convert {pluralize(waiting, "patient")}
                </Button>
              )}
            </>
          )
        }
      >
        <table
          aria-label="Records by state"
          className="border-line bg-raised w-full max-w-xl border-collapse rounded-md border"
        >
          <tbody>
            {SHOWN.filter((state) => (states[state] ?? 0) > 0).map((state) => (
              <tr key={state} className="border-line border-b last:border-0">
                <th scope="row" className="px-3 py-2 text-left font-normal">
                  <Link
                    href={`${runPath(practice, run.id)}/records?state=${state}`}
                    prefetch={false}
                    className="inline-flex min-h-6 items-center hover:underline"
                  >
                    <Status kind={RECORD_STATES[state].kind}>{RECORD_STATES[state].text}</Status>
                  </Link>
                </th>
                <td className="px-3 py-2 text-right tabular-nums">{formatNumber(states[state] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {!isAdmin && canAct && <p className="text-soft mt-3">An admin has runs converted and rolled back.</p>}
      </Section>
      <Originals data={data} />
      {open === "convert" && (
        <ConvertDialog
          totals={totals}
          waiting={waiting}
          onClose={close}
          run={async (reason) => {
            await staffCall(`${path}/conversion`, { method: "POST", reason });
            await refresh();
          }}
        />
      )}
      {open === "roll-back" && (
        <RollBackDialog
          id={run.id}
          written={written}
          retentionDays={data.retention_days}
          onClose={close}
          run={async (reason) => {
            await staffCall(`${path}/roll-back`, { method: "POST", reason });
            await refresh();
          }}
        />
      )}
    </>
  );
}
