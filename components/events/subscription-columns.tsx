import { Ellipsis } from "lucide-react";
import { Fragment } from "react";
import { actionColumn } from "@/components/ui/action-column";
import { Button, IconButton } from "@/components/ui/button";
import type { Column } from "@/components/ui/data-table";
import { Menu } from "@/components/ui/menu";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import {
  subscriptionColumn,
  subscriptionCounts,
  subscriptionMenu,
  subscriptionState as text,
} from "./messages/subscriptions";

export type SubscriptionAction = "resume" | "replay" | "rotate" | "test";
type OnAct = (action: SubscriptionAction, subscription: StaffSubscription) => void;

/** Returns the columns of the subscription list, with a button that resumes a paused subscription, and a menu. */
export function subscriptionColumns(practice: number, onAct: OnAct): Column<StaffSubscription>[] {
  const eventsPath = ({ id }: StaffSubscription, status: string) =>
    `/practices/${practice}/events?${new URLSearchParams({ subscription: String(id), status })}`;
  const count = (subscription: StaffSubscription, value: number, status: string, toText = subscriptionCounts.number) =>
    value === 0 ? (
      <span className="text-soft">{toText(value)}</span>
    ) : (
      <TextLink href={eventsPath(subscription, status)} className="justify-end">
        {toText(value)}
      </TextLink>
    );
  return [
    {
      id: "client",
      header: subscriptionColumn.client,
      className: "min-w-32",
      cell: (row) => (
        <>
          <span className="font-medium">{row.client_name}</span>
          <span className="text-soft block text-sm sm:hidden">{describeRecords(row)}</span>
        </>
      ),
    },
    {
      id: "records",
      header: subscriptionColumn.records,
      className: "max-sm:hidden",
      cell: (row) => describeRecords(row),
    },
    {
      id: "endpoint",
      header: subscriptionColumn.endpoint,
      className: "max-lg:hidden",
      cell: ({ target }) => <Endpoint url={target} />,
    },
    {
      id: "delivery",
      header: subscriptionColumn.delivery,
      cell: (row) => (
        <>
          <Health subscription={row} />
          <p className="text-soft text-sm sm:hidden">
            {subscriptionCounts.both(
              count(row, row.open, "waiting", subscriptionCounts.waiting),
              count(row, row.failed, "undelivered", subscriptionCounts.undelivered),
            )}
          </p>
          <div className="mt-1 sm:hidden">
            <Actions subscription={row} onAct={onAct} />
          </div>
        </>
      ),
    },
    {
      id: "waiting",
      header: subscriptionColumn.waiting,
      className: "max-sm:hidden text-right tabular-nums",
      cell: (row) => count(row, row.open, "waiting"),
    },
    {
      id: "undelivered",
      header: subscriptionColumn.undelivered,
      className: "max-sm:hidden text-right tabular-nums",
      cell: (row) => count(row, row.failed, "undelivered"),
    },
    actionColumn((subscription) => <Actions subscription={subscription} onAct={onAct} />, "max-sm:hidden text-right"),
  ];
}

/** Resumes a paused subscription or says who can, and offers further actions. */
function Actions({ subscription, onAct }: { subscription: StaffSubscription; onAct: OnAct }) {
  const { client_name, elsewhere, paused_date } = subscription;
  const act = (action: SubscriptionAction) => () => onAct(action, subscription);
  return (
    <span className="inline-flex items-center gap-2">
      {paused_date && elsewhere && <span className="text-soft inline-block max-w-44 text-sm">{text.elsewhere}</span>}
      {paused_date && !elsewhere && (
        <Button size="small" aria-label={text.resumeLabel(client_name)} onClick={act("resume")}>
          {text.resume}
        </Button>
      )}
      <Menu
        trigger={
          <IconButton label={subscriptionMenu.label(client_name)}>
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
        entries={[
          { key: "test", label: subscriptionMenu.test, onSelect: act("test") },
          { key: "replay", label: subscriptionMenu.replay, onSelect: act("replay") },
          ...(elsewhere ? [] : [{ key: "rotate", label: subscriptionMenu.rotate, onSelect: act("rotate") }]),
        ]}
      />
    </span>
  );
}

/** Shows an address without its scheme. It breaks only after a slash. */
function Endpoint({ url }: { url: string }) {
  const parts = url.replace(/^https?:\/\//, "").split(/(?<=\/)/);
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the order of the parts is fixed.
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
}

const describeRecords = ({ resource }: StaffSubscription) =>
  subscriptionColumn.resources[resource] ?? resource.replaceAll("_", " ");

function Health({ subscription: { paused_date, failing_since } }: { subscription: StaffSubscription }) {
  if (paused_date) {
    return (
      <Status kind="warning">
        <span className="whitespace-normal">{text.paused(<Time value={paused_date} exact />)}</span>
      </Status>
    );
  }
  if (!failing_since) return <Status kind="active">{text.active}</Status>;
  return (
    <Status kind="failed">
      <span>{text.failing(<Time value={failing_since} exact />)}</span>
    </Status>
  );
}
