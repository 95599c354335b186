"use client";

import { useMutation } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Detail, DetailGrid } from "@/components/ui/details";
import { formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import { allows } from "@/lib/migration/runs/run-states";
import type { RunPage } from "@/lib/migration/work/page-queries";
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
        <Notice tone="bad" live title="Nothing was verified">
          {verify.error.message}
        </Notice>
      )}
      {result ? (
        <>
          {result.different === 0 ? (
            <Notice tone="good" title="0 differences">
              Legacy records and policies of {pluralize(result.records, "patient")} match each other and the export in
              every field. Verified <Time value={run.changed_date} />.
            </Notice>
          ) : (
            <Notice
              tone="bad"
              title={pluralize(result.different, "patient with differences", "patients with differences")}
            >
              They hold values that come from neither the export nor a later change.{" "}
              <ButtonLink href={`${runPath(practice, run.id)}/records?state=different`} size="small" prefetch={false}>
                Show differences
              </ButtonLink>
            </Notice>
          )}
          <div className="w-full">
            <DetailGrid>
              <Detail label="Patients compared">{formatNumber(result.records)}</Detail>
              <Detail label="Policies compared">{formatNumber(result.policies)}</Detail>
              <Detail label="Card images (fully read)">
                {formatNumber(result.images)} ({formatNumber(result.images_read)})
              </Detail>
              <Detail label="Changed since">{formatNumber(result.changed_since)}</Detail>
            </DetailGrid>
          </div>
        </>
      ) : (
        <p className="text-soft max-w-2xl">
          Verification compares every converted patient: the export with the legacy record, the legacy record with the
          policy, the policy with its history, and card images by their hashes.
        </p>
      )}
      {mayVerify && (
        <Button kind={result ? "plain" : "primary"} busy={verify.isPending} onClick={() => verify.mutate()}>
          {result ? "Verify again" : "Verify"}
        </Button>
      )}
    </div>
  );
}
