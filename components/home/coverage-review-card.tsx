"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { formatNumber } from "@/components/ui/format";
import { TextLink } from "@/components/ui/text-link";
import { REVIEW_FILTERS, type ReviewName } from "@/lib/insurance/patients/search-filters";
import { Card } from "./card";
import { coverageReview as text } from "./messages/front-desk";

const NAMES: readonly ReviewName[] = ["no_primary", "ended", "no_member_id", "no_card", "not_verified"];

/** Counts the patients whose coverage needs a review, with links to them. The counts load after the page, because they read all insurances. */
export function CoverageReviewCard({ practice }: { practice: number }) {
  const path = `practices/${practice}/patients/review-counts`;
  const { data, error } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<Record<ReviewName, number>>(path, { signal, background: true }),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  return (
    <Card id="coverage-review" title={text.title}>
      {error && !data ? (
        <p role="alert" className="text-soft">
          {text.failed(error.message)}
        </p>
      ) : (
        <dl aria-busy={!data} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4">
          {NAMES.map((name) => (
            <div key={name} className="border-line col-span-2 grid grid-cols-subgrid border-b py-1 last:border-0">
              <dt>
                <TextLink href={`/practices/${practice}/patients?${new URLSearchParams(REVIEW_FILTERS[name])}`}>
                  {text.filters[name]}
                </TextLink>
              </dt>
              <dd className="flex items-center justify-end font-mono">
                {data ? formatNumber(data[name]) : <span className="bg-sunken h-4 w-8 animate-pulse rounded" />}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}
