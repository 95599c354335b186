"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { EligibilityLine } from "@/components/eligibility/eligibility-line";
import { placeName, placePhrase } from "@/components/policies/cards/places";
import { CounterDetails } from "@/components/policies/counter-details";
import { policyName, rankLabel } from "@/components/policies/fields";
import { unnamedPolicy } from "@/components/policies/messages/fields";
import { pagePath } from "@/components/policies/paths";
import { takeCardFocus } from "@/components/policies/saved-card";
import { hasEnded, useToday } from "@/components/policies/term";
import { TermStatus } from "@/components/policies/term-status";
import { ButtonLink } from "@/components/ui/button-link";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { CardThumbnail } from "./card-thumbnail";
import { policyCard as text } from "./messages/policies";
import { RankMark } from "./rank-mark";
import type { ShownPolicy } from "./use-patient";

// Most policies have no notes.
const CardNotes = dynamic(() => import("@/components/policy-notes/card-notes").then((module) => module.CardNotes));
// Few policies have ended.
const ReplaceLink = lazyWithRetry(async () => (await import("./replace-link")).ReplaceLink);
const CardViewer = lazyWithRetry(async () => (await import("@/components/policies/cards/card-viewer")).CardViewer);

interface PolicyCardProps {
  practice: number;
  policy: ShownPolicy;
  canWrite: boolean;
}

/** Shows an active policy: its rank, carrier, plan and what is on the card. */
export function PolicyCard({ practice, policy, canWrite }: PolicyCardProps) {
  const { id, patient, carrier, plan } = policy;
  const today = useToday();
  const canReplace = canWrite && policy.rank !== null && hasEnded(policy, today);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeCardFocus(id)) heading.current?.focus();
  }, [id]);
  return (
    <article
      aria-label={text.label(rankLabel(policy.rank), policyName(policy))}
      className="border-line bg-raised flex break-inside-avoid gap-3 rounded-md border p-3"
    >
      <RankMark rank={policy.rank} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-start justify-between gap-x-3">
          <h3 ref={heading} tabIndex={-1} className="min-w-0 scroll-mt-28 font-semibold">
            <Link
              href={pagePath(practice, patient, "policies", id)}
              className="inline-flex min-h-6 max-w-full items-center hover:underline"
            >
              {carrier ?? unnamedPolicy(id)}
            </Link>
          </h3>
          <div className="flex flex-wrap items-center justify-end gap-2">
            <TermStatus policy={policy} eligibility={policy.eligibility} />
            {canReplace && <ReplaceLink practice={practice} policy={policy} />}
            {canWrite && (
              <ButtonLink
                size="small"
                className="screen-only"
                href={`${pagePath(practice, patient, "policies", id, "edit")}?from=patient`}
                aria-label={text.editPolicy(policyName(policy))}
              >
                {text.edit}
              </ButtonLink>
            )}
          </div>
        </div>
        <p className={plan ? undefined : "text-soft"}>{plan ?? text.noPlan}</p>
        <CounterDetails policy={policy} />
        <EligibilityLine
          policy={{ practice, patient, policy: id }}
          name={policyName(policy)}
          copay={policy.copay}
          latest={policy.eligibility}
          canVerify={canWrite}
        />
        {policy.notes.length > 0 && <CardNotes notes={policy.notes} />}
        <Thumbnails images={policy.card_images} policy={policyName(policy)} />
      </div>
    </article>
  );
}

function Thumbnails({ images, policy }: { images: ShownPolicy["card_images"]; policy: string }) {
  const [viewed, setViewed] = useState<number | null>(null);
  if (images.length === 0) return <p className="text-soft mt-2 text-sm">{text.noImages}</p>;
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {images.map((image, index) => (
        <button
          key={image.sha256 + image.image_rank}
          type="button"
          aria-label={text.view(placePhrase(image.image_rank), policy)}
          onClick={() => setViewed(index)}
          className="border-line hover:border-edge flex flex-col rounded-md border"
        >
          <CardThumbnail image={image} />
          <span className="text-soft px-1 text-sm">{placeName(image.image_rank)}</span>
        </button>
      ))}
      {viewed !== null && <CardViewer images={images} start={viewed} onClose={() => setViewed(null)} />}
    </div>
  );
}
