"use client";

import { useMutation } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Detail, DetailGrid } from "@/components/ui/details";
import { formatNumber } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import { allows } from "@/lib/migration/runs/run-states";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { verifyStep as text } from "./messages/run";
import { runCall, runPath } from "./paths";

/** Shows the result of the last verification, with a button to verify again. */
export function VerifyStep(props: {
  practice: number;
  data: RunPage;
  canAct: boolean;
  refresh: () => Promise<unknown>;
}) {
  const { practice, data, canAct, refresh } = props;
  const { run } = data;
  const verify = useMutation({
    mutationFn: () => staffCall(`${runCall(practice, run.id)}/work`, { method: "POST", body: { work: "verify" } }),
    onSuccess: refresh,
  });
  const mayVerify = canAct && allows(run, "verify");
  const result = run.state === "verified" ? run.verification : null;
  return (
    <div className="flex flex-col items-start gap-5">
      {verify.error && (
        <Notice tone="bad" live title={text.failed}>
          {verify.error.message}
        </Notice>
      )}
      {result ? (
        <>
          {result.different === 0 ? (
            <Notice tone="good" title={text.noDifferences}>
              {text.matched(result.records, <Time value={run.changed_date} />)}
            </Notice>
          ) : (
            <Notice tone="bad" title={text.differences(result.different)}>
              {text.differencesHelp}{" "}
              <ButtonLink href={`${runPath(practice, run.id)}/records?state=different`} size="small" prefetch={false}>
                {text.show}
              </ButtonLink>
            </Notice>
          )}
          <div className="w-full">
            <DetailGrid>
              <Detail label={text.patients}>{formatNumber(result.records)}</Detail>
              <Detail label={text.policies}>{formatNumber(result.policies)}</Detail>
              <Detail label={text.images}>{text.imageCounts(result.images, result.images_read)}</Detail>
              <Detail label={text.changedSince}>{formatNumber(result.changed_since)}</Detail>
            </DetailGrid>
          </div>
        </>
      ) : (
        <p className="text-soft max-w-2xl">{text.help}</p>
      )}
      {mayVerify && (
        <Button kind={result ? "plain" : "primary"} busy={verify.isPending} onClick={() => verify.mutate()}>
          {result ? text.again : text.submit}
        </Button>
      )}
    </div>
  );
}
