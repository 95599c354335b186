"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { Notice } from "@/components/ui/notice";
import { Time } from "@/components/ui/time";
import type { PracticeDetail, PracticeHome } from "@/lib/api/home/queries";
import type { ReadinessMeasure } from "@/lib/migration/readiness/queries";
import { listAttention } from "./attention";
import { AttentionList } from "./attention-list";
import { DeadlineCard } from "./deadline-card";
import { DeliveryCard } from "./delivery-card";
import { FirstSteps } from "./first-steps";
import { LegacyUseCard } from "./legacy-use-card";
import { overviewAsOf } from "./messages/attention";
import { overview as text } from "./messages/practice";
import { OtherPractices } from "./other-practices";
import { ReadinessCard } from "./readiness-card";

type Detail = PracticeDetail & { readiness: ReadinessMeasure };

interface PracticeOverviewProps {
  practice: number;
  initial: { detail: Detail; practices: PracticeHome[] };
}

const REFRESH_MS = 30_000;

/** Shows admins what needs attention in this practice and in their other practices. Refreshes automatically. */
export function PracticeOverview({ practice: id, initial }: PracticeOverviewProps) {
  const detail = useQuery({
    queryKey: ["home", id],
    queryFn: ({ signal }) => staffCall<Detail>(`practices/${id}/home`, { signal, background: true }),
    initialData: initial.detail,
    refetchInterval: REFRESH_MS,
  });
  const all = useQuery({
    queryKey: ["home"],
    queryFn: ({ signal }) => staffCall<{ practices: PracticeHome[] }>("home", { signal, background: true }),
    initialData: { practices: initial.practices },
    refetchInterval: REFRESH_MS,
    enabled: initial.practices.length > 1,
  });
  const { practice, checked_date, days, clients, subscriptions, readiness } = detail.data;
  const others = all.data.practices.filter((other) => other.id !== id);
  const base = `/practices/${id}`;
  const manage = `${base}/settings/clients`;
  return (
    <>
      <p className="text-soft mb-2 text-sm">{overviewAsOf(practice.name, <Time value={checked_date} />)}</p>
      {detail.error && (
        <div className="mb-4">
          <Notice tone="warning" live title={text.stale}>
            {text.staleDetail(detail.error.message)}
          </Notice>
        </div>
      )}
      {practice.patients === 0 && <FirstSteps practice={id} manage={manage} />}
      <AttentionList items={listAttention({ checked_date, practice, days, clients, subscriptions })} />
      <div className="mb-4 grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        <DeadlineCard practice={practice} settings={`${base}/settings`} />
        <ReadinessCard practice={practice} readiness={readiness} migration={`${base}/migration`} />
        <DeliveryCard practice={practice} events={`${base}/events`} />
      </div>
      <LegacyUseCard days={days} clients={clients} deadline={practice.deadline.date} manage={manage} />
      {others.length > 0 && <OtherPractices practices={others} />}
    </>
  );
}
