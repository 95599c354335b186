"use client";

import { useQuery } from "@tanstack/react-query";
import { rankLabel } from "@/components/policies/fields";
import { asDryRun } from "@/components/policies/lost-responses";
import type { Effect } from "@/components/policies/use-policy";
import { staffCall } from "@/components/session/staff-call";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";

interface OrderPreviewProps {
  /** Path of the reorder endpoint. */
  path: string;
  order: { id: number; rank: number | null }[];
  /** Returns a policy's current rank. */
  rankOf: (id: number) => number | null;
  nameOf: (id: number) => string;
}

/** Shows what saving an order will do, from a dry run on the server. */
export function OrderPreview({ path, order, rankOf, nameOf }: OrderPreviewProps) {
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
  const losesRank = effects.some(({ rank }) => rank === null);
  const name = (rank: number | null) => rankLabel(rank).toLowerCase();
  const title = `Saving changes the rank of ${pluralize(effects.length, "policy", "policies")}`;
  return (
    <Notice live title={data ? title : "Checking what this changes"}>
      <ul className="my-1 list-disc pl-5">
        {effects.map(({ policy, rank }) => (
          <li key={policy}>
            {nameOf(policy)}: {name(rankOf(policy))} → <span className="font-medium">{name(rank)}</span>
          </li>
        ))}
      </ul>
      {data && (
        <p className="text-soft">
          {archived === 0 ? "Nothing is archived." : `${pluralize(archived, "policy", "policies")} would be archived.`}{" "}
          Legacy clients see the new priorities immediately{losesRank && ", but not policies without a rank"}. You can
          undo it.
        </p>
      )}
    </Notice>
  );
}
