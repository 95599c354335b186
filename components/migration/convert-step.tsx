"use client";

import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { allows } from "@/lib/migration/runs/run-states";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { BlockedNotice } from "./blocked-notice";
import { convertStep as text } from "./messages/run";
import { runCall } from "./paths";
import { Retention } from "./retention";
import { StateTable } from "./state-table";

const ConvertDialog = lazyWithRetry(async () => (await import("./run-dialogs")).ConvertDialog);
const RollBackDialog = lazyWithRetry(async () => (await import("./run-dialogs")).RollBackDialog);

interface StepProps {
  practice: number;
  data: RunPage;
  isAdmin: boolean;
  canAct: boolean;
  refresh: () => Promise<unknown>;
}

const DONE = ["converted", "verified", "different"] as const;

/** Shows the conversion of a run: what it will do, what it has done, and the rollback. */
export function ConvertStep({ practice, data, isAdmin, canAct, refresh }: StepProps) {
  const { run, totals } = data;
  const [open, setOpen] = useState<"convert" | "roll-back" | null>(null);
  const { blocked, states, patients, left_out } = totals;
  const written = DONE.reduce((sum, state) => sum + (states[state] ?? 0), 0);
  const waiting = (states.checked ?? 0) + (states.stale ?? 0) - (run.state === "checked" ? patients.refused : 0);
  const mayConvert = allows(run, "convert") && waiting > 0;
  // A run over the practice's own records only reconciled the two stores, so there is nothing to roll back.
  const mayRollBack =
    run.source === "file" && (written > 0 || run.stopped_in === "rolling_back") && allows(run, "roll_back");
  const close = () => setOpen(null);
  const path = runCall(practice, run.id);
  return (
    <>
      <BlockedNotice practice={practice} run={run.id} blocked={blocked} />
      {(states.stale ?? 0) > 0 && (
        <div className="mb-5">
          <Notice tone="warning" title={text.stale(states.stale ?? 0)}>
            {text.staleHelp}
          </Notice>
        </div>
      )}
      <Section
        title={text.records}
        lead={run.state === "checked" ? text.plan(Math.max(0, waiting), left_out) : text.lead}
        actions={
          isAdmin && (
            <>
              {mayRollBack && (
                <Button kind="danger" onClick={() => setOpen("roll-back")}>
                  {text.rollBack}
                </Button>
              )}
              {mayConvert && (
                <Button kind="primary" disabled={blocked.records > 0} onClick={() => setOpen("convert")}>
                  {text.convert(waiting)}
                </Button>
              )}
            </>
          )
        }
      >
        <StateTable practice={practice} run={run.id} states={states} />
        {!isAdmin && canAct && <p className="text-soft mt-3">{text.adminsOnly}</p>}
      </Section>
      <Retention data={data} />
      {open === "convert" && (
        <ConvertDialog
          data={data}
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
          data={data}
          written={written}
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
