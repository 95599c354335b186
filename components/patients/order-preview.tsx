"use client";

import { useQuery } from "@tanstack/react-query";
import { rankPhrase } from "@/components/policies/fields";
import { asDryRun } from "@/components/policies/lost-responses";
import type { Effect } from "@/components/policies/use-policy";
import { staffCall } from "@/components/session/staff-call";
import { Notice } from "@/components/ui/notice";
import { orderPreview as text } from "./messages/order";

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
      <Notice tone="bad" live title={text.failed}>
        {error.message}
      </Notice>
    );
  }
  const effects = data?.effects ?? [];
  const archived = effects.filter(({ kind }) => kind === "archived").length;
  const losesRank = effects.some(({ rank }) => rank === null);
  return (
    <Notice live title={data ? text.title(effects.length) : text.checking}>
      <ul className="my-1 list-disc pl-5">
        {effects.map(({ policy, rank }) => (
          <li key={policy}>
            {nameOf(policy)}: {rankPhrase(rankOf(policy))} → <span className="font-medium">{rankPhrase(rank)}</span>
          </li>
        ))}
      </ul>
      {data && (
        <p className="text-soft">
          {archived === 0 ? text.nothingArchived : text.archived(archived)}{" "}
          {losesRank ? text.legacyWithoutRank : text.legacy}
        </p>
      )}
    </Notice>
  );
}
