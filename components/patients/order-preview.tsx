"use client";

import { useQuery } from "@tanstack/react-query";
import { rankLabel } from "@/components/policies/fields";
import { asDryRun } from "@/components/policies/lost-answers";
import { staffCall } from "@/components/session/staff-call";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";

interface Effect {
  kind: string;
  policy: number;
  rank: number | null;
}

interface OrderPreviewProps {
  path: string;
  order: { id: number; rank: number | null }[];
  /** The rank a policy has now. */
  rankOf: (id: number) => number | null;
  nameIn: (id: number) => string;
}

/** What saving an order will do: the server's own answer, by a dry run. */
export function OrderPreview({ path, order, rankOf, nameIn }: OrderPreviewProps) {
  const { data, error } = useQuery({
    queryKey: [path, order],
    queryFn: ({ signal }) =>
      asDryRun(staffCall<{ effects: Effect[] }>(`${path}?dry_run=true`, { method: "POST", body: order, signal })),
    gcTime: 0,
    networkMode: "always",
  });
  if (error) {
    return (
      <Notice tone="bad" live title="This order can't be saved">
        {error.message}
      </Notice>
    );
  }
  const effects = data?.effects ?? [];
  const archived = effects.filter(({ kind }) => kind === "archived").length;
  const unranked = effects.filter(({ rank }) => rank === null);
  const word = (rank: number | null) => rankLabel(rank).toLowerCase();
  return (
    <Notice
      live
      title={
        data
          ? `Saving changes the rank of ${pluralize(effects.length, "policy", "policies")}`
          : "Looking what this changes"
      }
    >
      <ul className="my-1 list-disc pl-5">
        {effects.map(({ policy, rank }) => (
          <li key={policy}>
            {nameIn(policy)}: {word(rankOf(policy))} → <span className="font-medium">{word(rank)}</span>
          </li>
        ))}
      </ul>
      {data && (
        <p className="text-soft">
          {archived === 0 ? "Nothing is archived." : `${pluralize(archived, "policy", "policies")} would be archived.`}{" "}
          Legacy clients see the new priorities at once
          {unranked.length > 0 && ", and nothing of a policy without a rank"}. You can undo it.
        </p>
      )}
    </Notice>
  );
}
