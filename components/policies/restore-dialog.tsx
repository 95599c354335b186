"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useToasts } from "@/components/ui/toasts";
import { Effects } from "./effects";
import { type Policy, policyName } from "./fields";
import { asDryRun, checkIfLost } from "./lost-responses";
import { restoreDialog as text } from "./messages/dialogs";
import { effectPreview } from "./messages/rank-choice";
import { policiesPath } from "./paths";
import { defaultDestination, expectedHolder, policyAtRank, takeRankLabel } from "./rank-holder";
import { RankHolderChoice } from "./rank-holder-choice";
import { type RankOption, RestoreRankPicker } from "./restore-rank-picker";
import { useToday } from "./term";
import { findOutcome, usePolicyWrite, type WriteResult } from "./use-policy";
import { useRankChoice } from "./use-rank-choice";
import { useUndoRankChange } from "./use-undo";
import { toWriteError } from "./write-error";

interface RestoreDialogProps {
  policy: Policy;
  /** The patient's active policies. */
  others: readonly Policy[];
  onClose: () => void;
}

/** Restores an archived policy after showing the effects. If another policy has its rank, asks for the rank to restore it at. */
export function RestoreDialog({ policy, others, onClose }: RestoreDialogProps) {
  const isTaken = policyAtRank(others, policy.rank) !== undefined;
  const today = useToday();
  const [picked, setPicked] = useState<RankOption | undefined>(undefined);
  // A taken rank is preselected if its holder stays active by default. An ended holder, or one with no free rank, would be
  // archived, which nobody should do by pressing Enter.
  const keepsHolder = defaultDestination({ rank: policy.rank, from: null }, others, today) !== "archived";
  const rank = picked === undefined && isTaken ? (keepsHolder ? policy.rank : null) : picked;
  const rankChoice = useRankChoice({ rank: rank ?? null, from: null }, others);
  const createUndo = useUndoRankChange(policy.practice, policy.patient);
  const [reason, setReason] = useState("");
  const toast = useToasts();
  const client = useQueryClient();
  const path = `${policiesPath(policy.practice, policy.patient, policy.id)}/restore`;
  const body =
    rank === undefined ? {} : { rank, ...expectedHolder(others, rank), rank_holder_to: rankChoice?.chosen.to };
  /** Reloads the policies after an error, which may be due to what someone else has changed. */
  const reloadAfter = (error: unknown): never => {
    if (error instanceof CallError) {
      void client.invalidateQueries({ queryKey: ["policy"] });
      void client.invalidateQueries({ queryKey: ["patient", policy.practice, policy.patient] });
    }
    throw error;
  };
  const restore = usePolicyWrite(() =>
    checkIfLost(
      staffCall<WriteResult>(path, { method: "POST", body, ifMatch: policy.version, reason: reason.trim() }),
      findOutcome(policiesPath(policy.practice, policy.patient, policy.id), "active"),
    ).catch(reloadAfter),
  );
  const preview = useQuery<WriteResult, CallError>({
    queryKey: [
      "policy-restore",
      path,
      policy.version,
      rank,
      rankChoice?.chosen.to,
      others.map((other) => [other.id, other.rank, other.version]),
    ],
    queryFn: ({ signal }) =>
      asDryRun(
        staffCall<WriteResult>(`${path}?dry_run=true`, { method: "POST", body, ifMatch: policy.version, signal }),
      ).catch(reloadAfter),
    // Not during the restore, which makes the preview outdated.
    enabled: restore.isIdle || restore.isError,
    networkMode: "always",
  });
  const name = policyName(policy);
  const nameOf = (id: number) => policyName([policy, ...others].find((one) => one.id === id) ?? { ...policy, id });
  const rankOf = (id: number) => others.find((one) => one.id === id)?.rank;
  const submit = () =>
    restore.mutate(undefined, {
      onSuccess: (result) => {
        onClose();
        toast.success(text.done(name), createUndo(result, others));
      },
    });
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(name)}
      description={text.description}
      submitLabel={rankChoice ? takeRankLabel("restore", rankChoice.chosen, rankChoice.holder) : text.submit}
      busy={restore.isPending}
      disabled={!preview.data}
      error={toWriteError(restore.error, "restored") ?? toWriteError(preview.error, "restored")}
      onSubmit={submit}
    >
      {isTaken && <RestoreRankPicker previousRank={policy.rank} others={others} value={rank} onChange={setPicked} />}
      {rankChoice && <RankHolderChoice {...rankChoice} policies={[policy, ...others]} taker={policy} />}
      <div aria-live="polite">
        {preview.data && (
          <>
            <p className="mb-1 font-medium">{effectPreview.title}</p>
            <Effects effects={preview.data.effects} nameOf={nameOf} rankOf={rankOf} />
          </>
        )}
        {preview.isFetching && !preview.data && <p className="text-soft">{text.checking}</p>}
      </div>
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}
