"use client";

import { Ellipsis } from "lucide-react";
import { Button, IconButton } from "@/components/ui/button";
import { Copyable } from "@/components/ui/copyable";
import { DetailRow } from "@/components/ui/details";
import { formatNumber, pluralize } from "@/components/ui/format";
import { Menu } from "@/components/ui/menu";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { ClientView } from "@/lib/practice/practices/client-use-queries";
import type { Open } from "./clients";

interface CardProps {
  client: ClientView;
  practices: readonly PracticeChoice[];
  onOpen: (open: Open) => void;
}

/** One API client: what it may, what it does, and its secrets. */
export function ClientCard({ client, practices, onOpen }: CardProps) {
  const names = practices.filter(({ id }) => client.practices.includes(id)).map(({ name }) => name);
  const reach = [...names, ...(client.elsewhere ? ["others"] : [])].join(", ");
  return (
    <li className="border-line bg-raised rounded-md border">
      <header className="border-line flex items-center justify-between gap-3 border-b px-4 py-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
          <h3 className="min-w-0 font-medium">{client.name}</h3>
          {client.disabled_date ? <Status kind="archived">Disabled</Status> : <Status kind="active">Enabled</Status>}
          <Copyable value={client.client_id} label="client ID" className="text-soft text-sm" />
        </div>
        <ClientMenu client={client} onOpen={onOpen} />
      </header>
      <div className="grid gap-x-8 gap-y-4 px-4 py-3 md:grid-cols-2 xl:grid-cols-[1fr_1fr_auto]">
        <dl className="grid grid-cols-[88px_1fr] content-start gap-x-3 gap-y-1">
          <DetailRow label="Practices">{reach}</DetailRow>
          <DetailRow label="Scopes">{scopesOf(client)}</DetailRow>
          <DetailRow label="Last used">
            {client.last_date ? <Time value={client.last_date} /> : <span className="text-soft">Never</span>}
          </DetailRow>
          <DetailRow label="Tokens">
            {formatNumber(client.open_tokens)} valid, {formatNumber(client.tokens_30)} issued in 30 days
          </DetailRow>
          <DetailRow label="Calls">{formatNumber(client.calls_30)} in 30 days, in all its practices</DetailRow>
        </dl>
        <Secrets client={client} onOpen={onOpen} />
        <UseTable client={client} />
      </div>
    </li>
  );
}

function scopesOf({ allowed_scopes, scoped_tokens }: ClientView): string {
  if (allowed_scopes.length > 0) return pluralize(allowed_scopes.length, "scope");
  return scoped_tokens ? "Everything, or fewer where it asks for fewer" : "Everything";
}

function Secrets({ client, onOpen }: { client: ClientView; onOpen: (open: Open) => void }) {
  return (
    <div className="min-w-0">
      <h4 className="text-soft">Valid secrets</h4>
      {client.secrets.length === 0 && <p>None: it gets no tokens.</p>}
      <ul className="flex flex-col gap-1">
        {client.secrets.map((secret) => (
          <li key={secret.id} className="flex flex-wrap items-center justify-between gap-x-3">
            <span className="min-w-0">
              Made <Time value={secret.created_date} />
              {secret.expires_date && (
                <span className="text-warn">
                  , ends <Time value={secret.expires_date} />
                </span>
              )}
            </span>
            {!client.elsewhere && (
              <Button
                kind="danger"
                size="small"
                aria-label={`Revoke secret ${secret.id} of ${client.name}`}
                onClick={() => onOpen({ act: "revoke", client, secretId: secret.id })}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How far the client has moved from the legacy insurances to policies, for this practice. */
function UseTable({ client: { legacy, policy, name } }: { client: ClientView }) {
  const rows = [
    { label: "Legacy insurance calls", use: legacy },
    { label: "Policy calls", use: policy },
  ];
  return (
    <table aria-label={`Calls of ${name} for this practice`} className="self-start max-md:w-full">
      <thead>
        <tr className="text-soft text-right">
          <th scope="col" className="text-left font-normal">
            This practice
          </th>
          <th scope="col" className="pl-4 font-normal">
            7 days
          </th>
          <th scope="col" className="pl-4 font-normal">
            30 days
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, use }) => (
          <tr key={label} className="text-right">
            <th scope="row" className="text-left font-normal">
              {label}
            </th>
            <td className="pl-4 font-mono">{formatNumber(use.days_7)}</td>
            <td className="pl-4 font-mono">{formatNumber(use.days_30)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ClientMenu({ client, onOpen }: { client: ClientView; onOpen: (open: Open) => void }) {
  const isOn = client.disabled_date === null;
  return (
    <Menu
      trigger={
        <IconButton label={`Acts on ${client.name}`}>
          <Ellipsis aria-hidden className="size-4" />
        </IconButton>
      }
      entries={[
        ...(client.elsewhere
          ? []
          : [
              { key: "form", label: "Change name, practices or scopes", onSelect: () => onOpen({ form: client }) },
              { key: "rotate", label: "Rotate secret", onSelect: () => onOpen({ act: "rotate", client }) },
              isOn
                ? {
                    key: "disable",
                    label: "Disable client",
                    onSelect: () => onOpen({ act: "disable", client }),
                    danger: true,
                  }
                : { key: "enable", label: "Enable client", onSelect: () => onOpen({ act: "enable", client }) },
              { key: "rule", separator: true as const },
            ]),
        {
          key: "remove",
          label: "Take this practice from it",
          onSelect: () => onOpen({ act: "remove", client }),
          danger: true,
        },
      ]}
    />
  );
}
