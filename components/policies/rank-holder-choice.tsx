"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { CallError } from "@/components/session/call-error";
import { RadioField } from "@/components/ui/check-field";
import { Notice } from "@/components/ui/notice";
import { Effects } from "./effects";
import { type Policy, policyName, rankLabel } from "./fields";
import type { HolderOption } from "./rank-holder";
import type { Effect, WriteResult } from "./use-policy";
import type { RankChoice } from "./use-rank-choice";

interface HolderChoiceProps extends RankChoice {
  /** The policies as they are now, the one that takes the rank among them. */
  policies: readonly Policy[];
  /** The policy that takes the rank; undefined for a new one. */
  taker: Policy | undefined;
  /** Tries it out; nothing is saved. Not while it is saved: what was seen is about to be past. */
  preview?: { inputs: readonly unknown[]; run: (signal: AbortSignal) => Promise<WriteResult>; isPaused: boolean };
}

/** Asks what becomes of the policy that holds a rank, and shows what that does before it is done. */
export function RankHolderChoice({ holder, options, chosen, choose, policies, taker, preview }: HolderChoiceProps) {
  const name = useId();
  const rank = rankLabel(holder.rank).toLowerCase();
  return (
    <fieldset className="border-line flex flex-col gap-2 rounded-md border px-3 py-2.5">
      <legend className="px-1 font-medium">
        {policyName(holder)} is {rank} now
      </legend>
      {options.map((option) => (
        <RadioField
          key={option.kind}
          name={name}
          value={option.kind}
          checked={option.kind === chosen.kind}
          onChange={() => choose(option.to)}
          {...wordsOf(option, holder)}
        />
      ))}
      {preview && <Preview {...preview} policies={policies} taker={taker} />}
    </fieldset>
  );
}

function wordsOf({ kind, to }: HolderOption, holder: Policy): { label: string; help: string } {
  const name = policyName(holder);
  const place = rankLabel(to as number).toLowerCase();
  if (kind === "swap") return { label: "Swap", help: `${name} becomes ${place}.` };
  if (kind === "move") return { label: `Move ${name} to ${place}`, help: "The next free rank." };
  return { label: `Archive ${name}`, help: "It stops being active. It can be restored." };
}

function Preview(props: NonNullable<HolderChoiceProps["preview"]> & Pick<HolderChoiceProps, "policies" | "taker">) {
  const { inputs, run, isPaused, policies, taker } = props;
  const { data, error } = useQuery<WriteResult, CallError>({
    queryKey: ["rank-preview", ...inputs],
    queryFn: ({ signal }) => run(signal),
    enabled: !isPaused,
    retry: false,
    gcTime: 0,
    networkMode: "always",
  });
  const known = (id: number) => policies.find((policy) => policy.id === id);
  const nameOf = (id: number) => {
    const policy = known(id);
    return policy ? policyName(policy) : "The new policy";
  };
  const isTaker = ({ policy }: Effect) => Number(policy === taker?.id || !known(policy));
  const effects = data && [...data.effects].sort((a, b) => isTaker(b) - isTaker(a));
  return (
    <div aria-live="polite">
      {effects && (
        <>
          <p className="mb-1 font-medium">What will happen</p>
          <Effects effects={effects} nameOf={nameOf} rankOf={(id) => known(id)?.rank} />
        </>
      )}
      {error && (
        <Notice tone="warning" title="Couldn't preview this">
          {error.message}
        </Notice>
      )}
    </div>
  );
}
