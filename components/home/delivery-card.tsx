import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { PracticeHome } from "@/lib/api/home/queries";
import { Card } from "./card";

/** Shows the state of replication, published events and subscriptions. */
export function DeliveryCard({ practice, events }: { practice: PracticeHome; events: string }) {
  const { stream, undelivered_events: undelivered, rejected_events: rejected } = practice;
  const { paused_subscriptions: paused, failing_subscriptions: failing } = practice;
  return (
    <Card id="delivery" title="Delivery" link={{ label: "Events", href: events }}>
      <dl className="grid gap-2.5">
        <Row name="Sync">
          {stream.failed > 0 && <Status kind="failed">{pluralize(stream.failed, "change")} failed</Status>}
          {stream.pending > 0 && (
            <Status kind="pending">
              {stream.pending} pending
              {stream.oldest && (
                <>
                  , oldest <Time value={stream.oldest} />
                </>
              )}
            </Status>
          )}
          {stream.failed + stream.pending === 0 && <Status kind="good">In sync</Status>}
        </Row>
        <Row name="Published events">
          {undelivered > 0 && <Status kind="failed">{formatNumber(undelivered)} undelivered</Status>}
          {rejected > 0 && <Status kind="warning">{formatNumber(rejected)} rejected by the client</Status>}
          {undelivered + rejected === 0 && <Status kind="good">None failed</Status>}
        </Row>
        <Row name="Subscriptions">
          {paused > 0 && <Status kind="warning">{paused} paused</Status>}
          {failing > 0 && <Status kind="warning">{failing} failing</Status>}
          {paused + failing === 0 && <Status kind="good">None paused</Status>}
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
