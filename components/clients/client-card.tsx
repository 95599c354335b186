"use client";

import { Ellipsis } from "lucide-react";
import { IconButton } from "@/components/ui/button";
import { Copyable } from "@/components/ui/copyable";
import { DetailRow } from "@/components/ui/details";
import { Menu } from "@/components/ui/menu";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { ClientView } from "@/lib/practice/practices/staff-queries";
import { ClientSecrets } from "./client-secrets";
import { ClientUseTable } from "./client-use-table";
import type { Open } from "./clients";
import { clientMenu, clientCard as text } from "./messages";

interface CardProps {
  client: ClientView;
  practices: readonly PracticeChoice[];
  onOpen: (open: Open) => void;
}

/** Shows an API client: its permissions, use and secrets. */
export function ClientCard({ client, practices, onOpen }: CardProps) {
  const names = practices.filter(({ id }) => client.practices.includes(id)).map(({ name }) => name);
  const practiceNames = [...names, ...(client.elsewhere ? [text.otherPractices] : [])].join(", ");
  return (
    <li id={`client-${client.id}`} className="border-line bg-raised scroll-mt-16 rounded-md border">
      <header className="border-line flex items-center justify-between gap-3 border-b px-4 py-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
          <h2 className="min-w-0 font-medium">{client.name}</h2>
          {client.disabled_date ? (
            <Status kind="archived">{text.disabled}</Status>
          ) : (
            <Status kind="active">{text.enabled}</Status>
          )}
          <Copyable value={client.client_id} label={text.clientId} className="text-soft text-sm" />
        </div>
        <ClientMenu client={client} onOpen={onOpen} />
      </header>
      <div className="grid gap-x-8 gap-y-4 px-4 py-3 md:grid-cols-2 xl:grid-cols-[1fr_1fr_auto]">
        <dl className="grid grid-cols-[88px_1fr] content-start gap-x-3 gap-y-1">
          <DetailRow label={text.practices}>{practiceNames}</DetailRow>
          <DetailRow label={text.scopes}>{describeScopes(client)}</DetailRow>
          <DetailRow label={text.lastUsed}>
            {client.last_date ? <Time value={client.last_date} /> : <span className="text-soft">{text.neverUsed}</span>}
          </DetailRow>
          <DetailRow label={text.tokens}>{text.tokenCounts(client.open_tokens, client.tokens_30)}</DetailRow>
          <DetailRow label={text.calls}>{text.callCount(client.calls_30)}</DetailRow>
        </dl>
        <ClientSecrets client={client} onOpen={onOpen} />
        <ClientUseTable client={client} />
      </div>
    </li>
  );
}

function describeScopes({ allowed_scopes, scoped_tokens }: ClientView): string {
  if (allowed_scopes.length > 0) return text.scopeCount(allowed_scopes.length);
  return scoped_tokens ? text.scopesOnRequest : text.allScopes;
}

function ClientMenu({ client, onOpen }: { client: ClientView; onOpen: (open: Open) => void }) {
  const isOn = client.disabled_date === null;
  return (
    <Menu
      trigger={
        <IconButton label={clientMenu.label(client.name)}>
          <Ellipsis aria-hidden className="size-4" />
        </IconButton>
      }
      entries={[
        ...(client.elsewhere
          ? []
          : [
              { key: "form", label: clientMenu.change, onSelect: () => onOpen({ form: client }) },
              { key: "rotate", label: clientMenu.rotate, onSelect: () => onOpen({ act: "rotate", client }) },
              isOn
                ? {
                    key: "disable",
                    label: clientMenu.disable,
                    onSelect: () => onOpen({ act: "disable", client }),
                    danger: true,
                  }
                : { key: "enable", label: clientMenu.enable, onSelect: () => onOpen({ act: "enable", client }) },
              { key: "rule", separator: true as const },
            ]),
        {
          key: "remove",
          label: clientMenu.remove,
          onSelect: () => onOpen({ act: "remove", client }),
          danger: true,
        },
      ]}
    />
  );
}
