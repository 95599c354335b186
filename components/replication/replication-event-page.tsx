"use client";

import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { Detail, DetailGrid } from "@/components/ui/details";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { ReplicationDetail } from "@/lib/insurance/replication/staff-queries";
import { ChangeDetails } from "./change-details";
import { DIRECTIONS } from "./directions";
import { DiscardDialog } from "./discard-dialog";
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
        trail={[{ label: "Sync", href: `/practices/${practice}/stream` }]}
        title={`Sync event ${event.id}`}
        meta={
          <>
            From {from} to {to}, <Time value={event.created_date} />
          </>
        }
        actions={
          <>
            <ButtonLink href={`/practices/${practice}/patients/${event.patient_id}`}>Open patient</ButtonLink>
            {event.status === "failed" && (
              <Button kind="danger" onClick={() => setDiscarding(true)}>
                <Trash2 aria-hidden className="size-4" /> Discard
              </Button>
            )}
            <RetryButton practice={practice} event={event} onDone={() => void refetch()} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {event.last_error && event.status !== "acknowledged" && (
          <Notice
            tone="bad"
            title={
              event.status === "failed" ? "Failed, and will not be retried automatically" : "The last attempt failed"
            }
          >
            <p className="break-words">{event.last_error}</p>
            {event.status === "failed" && (
              <p className="mt-1">
                Until you retry or discard it, the {to} of this patient are out of date and can't be edited.
              </p>
            )}
          </Notice>
        )}
        {event.blocked && (
          <Notice tone="warning" title="Blocked by an older event of this patient">
            <Link
              href={`/practices/${practice}/stream?patient=${event.patient_id}&status=open`}
              className="inline-flex min-h-6 min-w-6 items-center underline"
            >
              Show this patient's open events
            </Link>
          </Notice>
        )}
        <DetailGrid>
          <Detail label="Status">
            <ReplicationStatus event={event} />
          </Detail>
          <Detail label="Changed by">{event.origin.actor.name}</Detail>
          <Detail label="Operation">{event.origin.operation}</Detail>
          <Detail label="Reason">{event.origin.reason ?? <span className="text-soft">None</span>}</Detail>
          <Detail label="Attempts">{event.attempts}</Detail>
          <Detail label="Next attempt">
            {event.next_attempt_date && !event.blocked ? (
              <Time value={event.next_attempt_date} />
            ) : (
              <span className="text-soft">None</span>
            )}
          </Detail>
          <Detail label={event.status === "discarded" ? "Discarded" : "Applied"}>
            {event.acknowledged_date ? (
              <Time value={event.acknowledged_date} exact />
            ) : (
              <span className="text-soft">Not yet</span>
            )}
          </Detail>
          <Detail label="Events behind it">{event.behind === 0 ? "None" : pluralize(event.behind, "event")}</Detail>
        </DetailGrid>
        <Section className="" title="Changes">
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
