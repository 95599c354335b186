"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Input } from "@/components/ui/controls";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useToasts } from "@/components/ui/toasts";
import { Effects } from "./effects";
import { type Policy, policyName, rankLabel } from "./fields";
import { asDryRun, checkIfLost } from "./lost-answers";
import { policiesPath } from "./paths";
import { describeOption, expectedHolder, policyAtRank } from "./rank-holder";
import { RankHolderChoice } from "./rank-holder-choice";
import { findOutcome, usePolicyWrite, type WriteResult } from "./use-policy";
import { useRankChoice } from "./use-rank-choice";
import { useUndoRankChange } from "./use-undo";
import { toWriteError } from "./write-error";

type Choice = number | null | undefined;

/** Restores an archived policy: shows first what that will do, and asks for a rank where its own is taken. */
export function RestoreDialog({
  policy,
  others,
  onClose,
}: {
  policy: Policy;
  /** The patient's active policies. */
  others: readonly Policy[];
  onClose: () => void;
}) {
  const holderOf = (rank: number) => policyAtRank(others, rank);
  const isTaken = policyAtRank(others, policy.rank) !== undefined;
  const [picked, setChoice] = useState<Choice>(undefined);
  // The rank it had, until another one is picked: what becomes of the policy that holds it is asked below.
  const choice = picked === undefined && isTaken ? policy.rank : picked;
  const rankChoice = useRankChoice({ rank: choice ?? null, from: null }, others);
  const undoOf = useUndoRankChange(policy.practice, policy.patient);
  const [reason, setReason] = useState("");
  const toast = useToasts();
  const client = useQueryClient();
  const path = policiesPath(policy.practice, policy.patient, policy.id);
  const taking = rankChoice ? { rank_holder_to: rankChoice.chosen.to } : {};
  const body = choice === undefined ? {} : { rank: choice, ...expectedHolder(others, choice), ...taking };
  /** Refused for what somebody else did: the policies as they are now show what that was. */
  const lookAgain = (problem: unknown): never => {
    if (problem instanceof CallError) void client.invalidateQueries({ queryKey: ["policy"] });
    throw problem;
  };
  const restore = usePolicyWrite(() =>
    checkIfLost(
      staffCall<WriteResult>(`${path}/restore`, {
        method: "POST",
        body,
        ifMatch: policy.version,
        reason: reason.trim(),
      }),
      findOutcome(path, "active"),
    ).catch(lookAgain),
  );
  const preview = useQuery<WriteResult, CallError>({
    queryKey: [
      "policy-restore",
      path,
      policy.version,
      choice,
      rankChoice?.chosen.to,
      others.map(({ id, rank, version }) => [id, rank, version]),
    ],
    queryFn: ({ signal }) =>
      asDryRun(
        staffCall<WriteResult>(`${path}/restore?dry_run=true`, {
          method: "POST",
          body,
          ifMatch: policy.version,
          signal,
        }),
      ).catch(lookAgain),
    // While it is restored, what was seen is about to be past.
    enabled: restore.isIdle || restore.isError,
    networkMode: "always",
  });
  const name = policyName(policy);
  const nameOf = (id: number) => policyName([policy, ...others].find((one) => one.id === id) ?? { ...policy, id });
  const rankOf = (id: number) => others.find((one) => one.id === id)?.rank;
  const submit = () =>
    restore.mutate(undefined, {
      onSuccess: (written) => {
        onClose();
        toast.success(`${name} is active again.`, undoOf(written, others));
      },
    });
  return (
    <FormDialog
      onClose={onClose}
      title={`Restore ${name}?`}
      description="It becomes active again, with its card images. The history notes who restored it."
      submitLabel={rankChoice ? `Restore ${describeOption(rankChoice.chosen, rankChoice.holder)}` : "Restore policy"}
      busy={restore.isPending}
      disabled={!preview.data}
      error={toWriteError(restore.error, "restored") ?? toWriteError(preview.error, "restored")}
      onSubmit={submit}
    >
      {isTaken && <RankPicker own={policy.rank as number} holderOf={holderOf} choice={choice} onChoice={setChoice} />}
      {rankChoice && <RankHolderChoice {...rankChoice} policies={[policy, ...others]} taker={policy} />}
      <div aria-live="polite">
        {preview.data && (
          <>
            <p className="mb-1 font-medium">What will happen</p>
            <Effects effects={preview.data.effects} nameOf={nameOf} rankOf={rankOf} />
          </>
        )}
        {preview.isFetching && !preview.data && <p className="text-soft">Trying it out…</p>}
      </div>
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function RankPicker(props: {
  own: number;
  holderOf: (rank: number) => Policy | undefined;
  choice: Choice;
  onChoice: (choice: Choice) => void;
}) {
  const { own, holderOf, choice, onChoice } = props;
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">
        It was {rankLabel(own).toLowerCase()}, and that rank is taken. Restore it as
      </legend>
      {[1, 2, 3, null].map((rank) => {
        const holder = rank === null ? undefined : holderOf(rank);
        return (
          <label key={rank} className="hover:bg-sunken flex min-h-8 items-start gap-2 rounded-md px-1 py-1.5">
            <Input
              type="radio"
              name="rank"
              checked={choice === rank}
              onChange={() => onChoice(rank)}
              className="accent-accent mt-0.5 size-4"
            />
            <span>
              {rank === null ? "Active without a rank" : rankLabel(rank)}
              <span className="text-soft">
                {rank !== null && (holder ? ` (currently ${policyName(holder)})` : " (free)")}
              </span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
