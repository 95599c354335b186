"use client";

import Link from "next/link";
import { useState } from "react";
import { placeName } from "@/components/policies/cards/card-text";
import { formatMoney, policyName, rankLabel } from "@/components/policies/fields";
import { Copyable } from "@/components/ui/copyable";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { useNow } from "@/components/ui/now";
import { Status } from "@/components/ui/status";
import { Day, useZone } from "@/components/ui/time";
import { dayOf } from "@/components/ui/zone-time";
import { CardThumbnail } from "./card-thumbnail";
import { Facts } from "./facts";
import { RankMark } from "./rank-mark";
import type { ShownPolicy } from "./use-patient";

const CardViewer = lazyWithRetry(async () => (await import("@/components/policies/cards/card-viewer")).CardViewer);

export const policyHref = (practice: number, policy: { id: number; patient: number }) =>
  `/practices/${practice}/patients/${policy.patient}/policies/${policy.id}`;

/** An active policy at a glance: its rank, who insures, what is on the card. */
export function PolicyCard({ practice, policy }: { practice: number; policy: ShownPolicy }) {
  const { carrier, plan, member_id, group_id, copay, start_date: start, end_date: end } = policy;
  return (
    <article
      aria-label={`${rankLabel(policy.rank)}: ${policyName(policy)}`}
      className="border-line bg-raised flex break-inside-avoid gap-3 rounded-md border p-3"
    >
      <RankMark rank={policy.rank} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-start justify-between gap-x-3">
          <h3 className="min-w-0 font-semibold">
            <Link
              href={policyHref(practice, policy)}
              className="inline-flex min-h-6 max-w-full items-center hover:underline"
            >
              {carrier ?? `Policy ${policy.id}`}
            </Link>
          </h3>
          <Term policy={policy} />
        </div>
        <p className={plan ? undefined : "text-soft"}>{plan ?? "No plan named"}</p>
        <Facts
          facts={[
            ["Member ID", member_id && <Copyable value={member_id} label="member ID" />],
            ["Group", group_id && <Copyable value={group_id} label="group ID" />],
            ["Effective", (start || end) && <Effective start={start} end={end} />],
            ["Copay", copay && <span className="font-mono">{formatMoney(copay)}</span>],
          ]}
        />
        <Thumbnails images={policy.card_images} of={policyName(policy)} />
      </div>
    </article>
  );
}

function Term({ policy: { start_date, end_date } }: { policy: ShownPolicy }) {
  const now = useNow();
  const zone = useZone();
  if (!start_date && !end_date) return <Status kind="active">Active</Status>;
  // What the server sends leaves it open: it does not know on which day that is read.
  if (now === null) return null;
  const today = dayOf(now, zone);
  if (end_date && end_date < today) return <Status kind="warning">Term ended</Status>;
  if (start_date && start_date > today) return <Status kind="pending">Not begun</Status>;
  return <Status kind="active">Active</Status>;
}

/** From when until when an insurance is in force. */
export function Effective({ start, end }: { start: string | null; end: string | null }) {
  if (!start && !end) return null;
  return (
    <>
      {start ? <Day value={start} /> : "Open"} – {end ? <Day value={end} /> : "open"}
    </>
  );
}

function Thumbnails({ images, of }: { images: ShownPolicy["card_images"]; of: string }) {
  const [large, setLarge] = useState<number | null>(null);
  if (images.length === 0) return <p className="text-soft mt-2 text-sm">No card images</p>;
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {images.map((image, at) => (
        <button
          key={image.sha256 + image.image_rank}
          type="button"
          aria-label={`View ${placeName(image.image_rank).toLowerCase()} of the card of ${of}`}
          onClick={() => setLarge(at)}
          className="border-line hover:border-edge flex flex-col rounded-md border"
        >
          <CardThumbnail image={image} />
          <span className="text-soft px-1 text-sm">{placeName(image.image_rank)}</span>
        </button>
      ))}
      {large !== null && <CardViewer images={images} start={large} onClose={() => setLarge(null)} />}
    </div>
  );
}
