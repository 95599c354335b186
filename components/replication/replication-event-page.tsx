"use client";

import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Detail, DetailGrid } from "@/components/ui/details";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { ReplicationDetail } from "@/lib/insurance/replication/staff-queries";
import { ChangeDetails } from "./change-details";
import { DiscardDialog } from "./discard-dialog";
import { DIRECTIONS, syncPage, syncEventPage as text } from "./messages/sync";
import { ReplicationStatus } from "./replication-status";
import { RetryButton } from "./retry-button";

/** Shows a replication event: its changes, its errors, and the events that wait behind it. */
export function ReplicationEventPage({ practice, initial }: { practice: number; initial: ReplicationDetail }) {
  const path = `practices/${practice}/stream/${initial.id}`;
  // Every read of patient data is audited, so this page fetches only after the user acts.
  const { data: event, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<ReplicationDetail>(path, { signal }),
    initialData: initial,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const [discarding, setDiscarding] = useState(false);
  const toast = useToasts();
  const { from, to } = DIRECTIONS[event.direction];
  return (
    <>
      <PageHeader
        trail={[{ label: syncPage.title, href: `/practices/${practice}/stream` }]}
        title={text.title(event.id)}
        meta={text.subtitle(from, to, <Time value={event.created_date} />)}
        actions={
          <>
            <ButtonLink href={`/practices/${practice}/patients/${event.patient_id}`}>{text.openPatient}</ButtonLink>
            {event.status === "failed" && (
              <Button kind="danger" onClick={() => setDiscarding(true)}>
                <Trash2 aria-hidden className="size-4" /> {text.discard}
              </Button>
            )}
            <RetryButton practice={practice} event={event} onDone={() => void refetch()} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {event.last_error && event.status !== "acknowledged" && (
          <Notice tone="bad" title={event.status === "failed" ? text.failed : text.attemptFailed}>
            <p className="break-words">{event.last_error}</p>
            {event.status === "failed" && <p className="mt-1">{text.failedHelp(to)}</p>}
          </Notice>
        )}
        {event.blocked && (
          <Notice tone="warning" title={text.blocked}>
            <Link
              href={`/practices/${practice}/stream?patient=${event.patient_id}&status=open`}
              className="inline-flex min-h-6 min-w-6 items-center underline"
            >
              {text.blockedLink}
            </Link>
          </Notice>
        )}
        <DetailGrid>
          <Detail label={text.status}>
            <ReplicationStatus event={event} />
          </Detail>
          <Detail label={text.changedBy}>{event.origin.actor.name}</Detail>
          <Detail label={text.operation}>
            <span className="font-mono wrap-anywhere">{event.origin.operation}</span>
          </Detail>
          <Detail label={text.reason}>{event.origin.reason ?? <span className="text-soft">{text.none}</span>}</Detail>
          <Detail label={text.attempts}>{event.attempts}</Detail>
          <Detail label={text.nextAttempt}>
            {event.next_attempt_date && !event.blocked ? (
              <Time value={event.next_attempt_date} />
            ) : (
              <span className="text-soft">{text.none}</span>
            )}
          </Detail>
          <Detail label={event.status === "discarded" ? text.discarded : text.applied}>
            {event.acknowledged_date ? (
              <Time value={event.acknowledged_date} exact />
            ) : (
              <span className="text-soft">{text.notYet}</span>
            )}
          </Detail>
          <Detail label={text.behind}>{text.behindCount(event.behind)}</Detail>
        </DetailGrid>
        <Section className="" title={text.changes}>
          <ChangeDetails changes={event.changes} />
        </Section>
      </div>
      {discarding && (
        <DiscardDialog
          practice={practice}
          event={event}
          onClose={() => setDiscarding(false)}
          onDone={(text) => {
            setDiscarding(false);
            void refetch();
            toast.success(text);
          }}
        />
      )}
    </>
  );
}
