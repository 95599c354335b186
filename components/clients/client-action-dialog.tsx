"use client";

import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { SelectField } from "@/components/ui/field";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { useToasts } from "@/components/ui/toasts";
import type { NewSecret } from "@/lib/access/clients/client-commands";
import type { ClientView } from "@/lib/practice/practices/staff-queries";

export type ClientAction = "rotate" | "revoke" | "disable" | "enable" | "remove";

interface ClientActionDialogProps {
  kind: ClientAction;
  client: ClientView;
  secretId?: number;
  practice: number;
  onClose: () => void;
  /** Called with the new secret after a rotation. */
  onDone: (secret: NewSecret | null) => void;
}

interface Action {
  title: string;
  description: string;
  label: string;
  call: (reason: string) => Promise<NewSecret | null>;
}

const EXPIRY_OPTIONS = [
  { hours: 0, label: "Immediately" },
  { hours: 1, label: "In 1 hour" },
  { hours: 24, label: "In 1 day" },
  { hours: 168, label: "In 7 days" },
  { hours: 720, label: "In 30 days" },
];

/** Confirms an action on an API client, and performs it. */
export function ClientActionDialog({ kind, client, secretId, practice, onClose, onDone }: ClientActionDialogProps) {
  const toast = useToasts();
  const [keepHours, setKeepHours] = useState(168);
  const path = `practices/${practice}/clients/${client.id}`;
  const { name, version: ifMatch, secrets } = client;
  const tokens = pluralize(client.open_tokens, "valid token");
  const isLast = secrets.length === 1;
  const actions: Record<ClientAction, Action> = {
    rotate: {
      title: `Rotate the secret of ${name}?`,
      description: "Creates a second secret and shows it once. Both are valid until the old one expires.",
      label: "Rotate secret",
      call: (reason) =>
        staffCall<NewSecret>(`${path}/secrets`, { method: "POST", body: { keep_hours: keepHours }, reason, ifMatch }),
    },
    revoke: {
      title: `Revoke a secret of ${name}?`,
      description: `The secret and every token issued with it stop working within seconds. The client has ${tokens} in total.${isLast ? " This is its only secret, so the client is locked out until it gets a new one." : ""} This can't be undone.`,
      label: "Revoke secret",
      call: (reason) => staffCall<null>(`${path}/secrets/${secretId}`, { method: "DELETE", reason, ifMatch }),
    },
    disable: {
      title: `Disable ${name}?`,
      description: `Its ${tokens} stop${client.open_tokens === 1 ? "s" : ""} working within seconds. It gets no new tokens and no events. You can enable it again.`,
      label: "Disable client",
      call: (reason) => staffCall<null>(path, { method: "PATCH", body: { disabled: true }, reason, ifMatch }),
    },
    enable: {
      title: `Enable ${name}?`,
      description: "Its secrets and unexpired tokens work again.",
      label: "Enable client",
      call: (reason) => staffCall<null>(path, { method: "PATCH", body: { disabled: false }, reason, ifMatch }),
    },
    remove: {
      title: `Remove the access of ${name} to this practice?`,
      description:
        "It loses access to this practice within seconds. It keeps its access to other practices. Only an admin who manages this client can restore the access.",
      label: "Remove access",
      call: (reason) => staffCall<null>(path, { method: "DELETE", reason, ifMatch }),
    },
  };
  const { title, description, label, call } = actions[kind];
  const results: Record<ClientAction, string> = {
    rotate: "has a new secret",
    revoke: "has one less secret",
    disable: "is disabled",
    enable: "is enabled",
    remove: "no longer has access to this practice",
  };
  return (
    <ConfirmDialog
      title={title}
      description={description}
      submitLabel={label}
      danger={kind !== "rotate" && kind !== "enable"}
      onClose={onClose}
      run={async (reason) => {
        const secret = await call(reason);
        onDone(kind === "rotate" ? secret : null);
        toast.success(`${name} ${results[kind]}.`);
      }}
    >
      {kind === "rotate" && secrets.length >= 2 && keepHours > 0 && (
        <Notice tone="warning">
          The client already has two valid secrets. Revoke one first, or let them expire immediately.
        </Notice>
      )}
      {kind === "rotate" && (
        <SelectField
          label="Old secret expires"
          help="Until then both secrets work. Tokens issued with the old secret expire with it."
          value={keepHours}
          onChange={(event) => setKeepHours(Number(event.target.value))}
        >
          {EXPIRY_OPTIONS.map(({ hours, label }) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
    </ConfirmDialog>
  );
}
