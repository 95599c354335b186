"use client";

import { useMutation } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { allows, isAtWork } from "@/lib/migration/runs/run-states";
import type { RunPage as RunData } from "@/lib/migration/work/page-queries";
import { CancelDialog } from "./cancel-dialog";
import { CheckStep } from "./check-step";
import { ConvertStep } from "./convert-step";
import { runPage as text } from "./messages/run";
import { RUN_STATES } from "./messages/terms";
import { migrationPath, runCall, runTrail } from "./paths";
import { RunProgress } from "./progress";
import { currentStep, STEPS, Stepper } from "./stepper";
import { UploadStep } from "./upload-step";
import { useRun } from "./use-run";
import { VerifyStep } from "./verify-step";

interface RunPageProps {
  practice: number;
  role: "viewer" | "staff" | "admin";
  initial: RunData;
}

/** Shows a migration run: its state, and the step the user chose. */
export function RunPage({ practice, role, initial }: RunPageProps) {
  const { data, dataUpdatedAt, error, refetch } = useRun(practice, initial);
  const [chosen] = useQueryState("step", parseAsStringLiteral(STEPS));
  const { run } = data;
  const canAct = role !== "viewer";
  const current = currentStep(run);
  const step = chosen ?? (current === "review" ? "check" : current);
  const ask = useMutation({
    mutationFn: ({ work, reason }: { work: "cancel" | "resume"; reason?: string }) =>
      staffCall(`${runCall(practice, run.id)}/work`, { method: "POST", body: { work }, ...(reason ? { reason } : {}) }),
    onSettled: () => refetch(),
  });
  const [isCanceling, setCanceling] = useState(false);
  const state = RUN_STATES[run.state];
  return (
    <>
      <PageHeader
        trail={runTrail(practice)}
        title={text.title(run.id)}
        meta={
          <span className="inline-flex flex-wrap items-center gap-x-3">
            <Status kind={state.kind}>{state.text}</Status>
            <span>{text.subtitle(run.source_name, run.actor.name, <Time value={run.created_date} />)}</span>
          </span>
        }
        actions={
          canAct && (
            <>
              {allows(run, "resume") && (
                <Button kind="primary" busy={ask.isPending} onClick={() => ask.mutate({ work: "resume" })}>
                  {text.resume}
                </Button>
              )}
              {run.state === "checked" && run.source === "file" && (
                <ButtonLink href={`${migrationPath(practice)}/new?follows=${run.id}`}>{text.upload}</ButtonLink>
              )}
              {allows(run, "cancel") && (
                <Button kind="danger" onClick={() => setCanceling(true)}>
                  {text.cancel}
                </Button>
              )}
            </>
          )
        }
      />
      {isCanceling && (
        <CancelDialog
          data={data}
          cancel={(reason) => ask.mutateAsync({ work: "cancel", reason })}
          onClose={() => setCanceling(false)}
        />
      )}
      <Stepper practice={practice} run={run} here={step} />
      <div className="flex flex-col gap-5">
        {!isCanceling && (ask.error ?? error) && (
          <Notice tone="bad" live title={ask.error ? text.noChange : text.outOfDate}>
            {(ask.error ?? error)?.message}
          </Notice>
        )}
        {run.error && isAtWork(run.state) && (
          <Notice tone="warning" live title={text.paused}>
            {text.pausedHelp(run.error)}
          </Notice>
        )}
        {run.error && !isAtWork(run.state) && (
          <Notice tone="bad" title={text.failed}>
            {(allows(run, "resume") ? text.failedResumable : text.failedHelp)(run.error)}{" "}
            {run.stopped_in === "rolling_back" && text.rollingBack}
          </Notice>
        )}
        {isAtWork(run.state) && <RunProgress run={run} at={dataUpdatedAt} />}
        <div>
          {step === "upload" && <UploadStep practice={practice} data={data} canAct={canAct} refresh={refetch} />}
          {(step === "check" || step === "review") && <CheckStep practice={practice} data={data} />}
          {step === "convert" && (
            <ConvertStep practice={practice} data={data} isAdmin={role === "admin"} canAct={canAct} refresh={refetch} />
          )}
          {step === "verify" && <VerifyStep practice={practice} data={data} canAct={canAct} refresh={refetch} />}
        </div>
      </div>
    </>
  );
}
