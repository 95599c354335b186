"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { CallError } from "@/components/session/call-error";
import { RadioField } from "@/components/ui/check-field";
import { Notice } from "@/components/ui/notice";
import { Effects } from "./effects";
import { type Policy, policyName, rankPhrase } from "./fields";
import { effectPreview, rankChoice as text } from "./messages/rank-choice";
import type { HolderOption } from "./rank-holder";
import type { Effect, WriteResult } from "./use-policy";
import type { RankChoice } from "./use-rank-choice";

interface RankPreview {
  /** Everything the preview depends on. */
  queryKey: readonly unknown[];
  /** Makes a dry run. */
  run: (signal: AbortSignal) => Promise<WriteResult>;
  /** Whether to stop updating the preview, while the form is saved. */
  isPaused: boolean;
}

interface RankHolderChoiceProps extends RankChoice {
  /** The current policies, including the one that takes the rank. */
  policies: readonly Policy[];
  /** The policy that takes the rank; undefined for a new one. */
  taker: Policy | undefined;
  preview?: RankPreview;
}

/** Asks what happens to the policy that holds a rank, and shows the effects before saving. */
export function RankHolderChoice(props: RankHolderChoiceProps) {
  const { holder, options, chosen, choose, policies, taker, preview } = props;
  const name = useId();
  const titleId = `${name}-title`;
  return (
    // A legend would interrupt the border.
    <fieldset aria-labelledby={titleId} className="border-line flex flex-col gap-2 rounded-md border px-3 py-2.5">
      <p id={titleId} className="font-medium">
        {text.title(policyName(holder), rankPhrase(holder.rank))}
      </p>
      {options.map((option) => (
        <RadioField
          key={option.kind}
          name={name}
          value={option.kind}
          checked={option.kind === chosen.kind}
          onChange={() => choose(option.to)}
          {...describe(option, holder)}
        />
      ))}
      {preview && <Preview preview={preview} policies={policies} taker={taker} />}
    </fieldset>
  );
}

function describe(option: HolderOption, holder: Policy): { label: string; help: string } {
  const name = policyName(holder);
  if (option.kind === "archive") return { label: text.archive(name), help: text.archiveHelp };
  const rank = rankPhrase(option.to);
  return option.kind === "swap"
    ? { label: text.swap, help: text.swapHelp(name, rank) }
    : { label: text.move(name, rank), help: text.moveHelp };
}

interface PreviewProps extends Pick<RankHolderChoiceProps, "policies" | "taker"> {
  preview: RankPreview;
}

function Preview({ preview: { queryKey, run, isPaused }, policies, taker }: PreviewProps) {
  const { data, error } = useQuery<WriteResult, CallError>({
    queryKey: ["rank-preview", ...queryKey],
    queryFn: ({ signal }) => run(signal),
    enabled: !isPaused,
    retry: false,
    gcTime: 0,
    networkMode: "always",
  });
  const find = (id: number) => policies.find((policy) => policy.id === id);
  const nameOf = (id: number) => {
    const policy = find(id);
    return policy ? policyName(policy) : effectPreview.newPolicy;
  };
  const isTaker = ({ policy }: Effect) => Number(policy === taker?.id || !find(policy));
  const effects = data?.effects.toSorted((a, b) => isTaker(b) - isTaker(a));
  return (
    <div aria-live="polite">
      {effects && (
        <>
          <p className="mb-1 font-medium">{effectPreview.title}</p>
          <Effects effects={effects} nameOf={nameOf} rankOf={(id) => find(id)?.rank} />
        </>
      )}
      {error && (
        <Notice tone="warning" title={text.previewFailed}>
          {error.message}
        </Notice>
      )}
    </div>
  );
}
