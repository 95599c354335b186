import type { ReactNode } from "react";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { PracticeHome } from "@/lib/api/home/queries";
import { Card } from "./card";
import { pendingEvents } from "./messages/attention";
import { deliveryCard as text } from "./messages/practice";

/** Shows the state of replication, published events and subscriptions. */
export function DeliveryCard({ practice, events }: { practice: PracticeHome; events: string }) {
  const { stream, undelivered_events: undelivered, rejected_events: rejected } = practice;
  const { paused_subscriptions: paused, failing_subscriptions: failing } = practice;
  return (
    <Card id="delivery" title={text.title} link={{ label: text.link, href: events }}>
      <dl className="grid gap-2.5">
        <Row name={text.sync}>
          {stream.failed > 0 && <Status kind="failed">{text.failed(stream.failed)}</Status>}
          {stream.pending > 0 && (
            <Status kind="pending">
              {pendingEvents(stream.pending, stream.oldest && <Time value={stream.oldest} />)}
            </Status>
          )}
          {stream.failed + stream.pending === 0 && <Status kind="good">{text.inSync}</Status>}
        </Row>
        <Row name={text.events}>
          {undelivered > 0 && <Status kind="failed">{text.undelivered(undelivered)}</Status>}
          {rejected > 0 && <Status kind="warning">{text.rejected(rejected)}</Status>}
          {undelivered + rejected === 0 && <Status kind="good">{text.noneFailed}</Status>}
        </Row>
        <Row name={text.subscriptions}>
          {paused > 0 && <Status kind="warning">{text.paused(paused)}</Status>}
          {failing > 0 && <Status kind="warning">{text.failing(failing)}</Status>}
          {paused + failing === 0 && <Status kind="good">{text.nonePaused}</Status>}
        </Row>
      </dl>
    </Card>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="border-line flex flex-wrap items-start justify-between gap-x-4 gap-y-1 border-b pb-2.5 last:border-0 last:pb-0">
      <dt className="text-soft">{name}</dt>
      <dd className="flex flex-col items-end gap-1">{children}</dd>
    </div>
  );
}
