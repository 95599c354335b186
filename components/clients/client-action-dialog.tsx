"use client";

import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { SelectField } from "@/components/ui/field";
import { pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { useToasts } from "@/components/ui/toasts";
import type { NewSecret } from "@/lib/access/clients/client-commands";
import type { ClientView } from "@/lib/practice/practices/client-use-queries";

export type ClientAction = "rotate" | "revoke" | "disable" | "enable" | "remove";

interface ActProps {
  kind: ClientAction;
  client: ClientView;
  secretId?: number;
  practice: number;
  onClose: () => void;
  /** With the secret where one was made. */
  onDone: (secret: NewSecret | null) => void;
}

const KEEPS = [
  { hours: 0, label: "At once" },
  { hours: 1, label: "In 1 hour" },
  { hours: 24, label: "In 1 day" },
  { hours: 168, label: "In 7 days" },
  { hours: 720, label: "In 30 days" },
];

/** Asks before an act on an API client, and does it. */
export function ClientActionDialog({ kind, client, secretId, practice, onClose, onDone }: ActProps) {
  const toast = useToasts();
  const [keepHours, setKeepHours] = useState(168);
  const path = `practices/${practice}/clients/${client.id}`;
  const { name, version: ifMatch, secrets } = client;
  const tokens = pluralize(client.open_tokens, "valid token");
  const isLast = secrets.length === 1;
  const acts = {
    rotate: {
      title: `Rotate the secret of ${name}?`,
      description: "A second secret is made and shown once. Both are valid until the old one ends.",
      act: "Make new secret",
      call: (reason: string) =>
        staffCall<NewSecret>(`${path}/secrets`, { method: "POST", body: { keep_hours: keepHours }, reason, ifMatch }),
    },
    revoke: {
      title: `Revoke a secret of ${name}?`,
      description: `The secret and every token it made stop working within seconds; the client holds ${tokens} in all.${isLast ? " It is the only one: the client is locked out until it gets another." : ""} This can't be undone.`,
      act: "Revoke secret",
      call: (reason: string) => staffCall(`${path}/secrets/${secretId}`, { method: "DELETE", reason, ifMatch }),
    },
    disable: {
      title: `Disable ${name}?`,
      description: `Its ${tokens} stop${client.open_tokens === 1 ? "s" : ""} working within seconds, and it gets no new ones and no events. It can be enabled again.`,
      act: "Disable client",
      call: (reason: string) => staffCall(path, { method: "PATCH", body: { disabled: true }, reason, ifMatch }),
    },
    enable: {
      title: `Enable ${name}?`,
      description: "Its secrets work again, and tokens that have not expired yet too.",
      act: "Enable client",
      call: (reason: string) => staffCall(path, { method: "PATCH", body: { disabled: false }, reason, ifMatch }),
    },
    remove: {
      title: `Take this practice from ${name}?`,
      description:
        "Within seconds it reaches nothing of this practice any more. What else it reaches stays. Only whoever registers clients for it can give it back.",
      act: "Take practice away",
      call: (reason: string) => staffCall(path, { method: "DELETE", reason, ifMatch }),
    },
  };
  const { title, description, act, call } = acts[kind];
  const said = { rotate: "has a new secret", revoke: "lost a secret", disable: "is disabled", enable: "is enabled" };
  return (
    <ConfirmDialog
      title={title}
      description={description}
      submitLabel={act}
      danger={kind !== "rotate" && kind !== "enable"}
      onClose={onClose}
      run={async (reason) => {
        const answer = await call(reason);
        onDone(kind === "rotate" ? (answer as NewSecret) : null);
        toast.success(`${name} ${kind === "remove" ? "reaches this practice no more" : said[kind]}.`);
      }}
    >
      {kind === "rotate" && secrets.length >= 2 && keepHours > 0 && (
        <Notice tone="warning">It has two valid secrets already. Revoke one first, or end both at once.</Notice>
      )}
      {kind === "rotate" && (
        <SelectField
          label="The old secret ends"
          help="Until then the program works with either one; tokens of the old one end with it."
          value={keepHours}
          onChange={(event) => setKeepHours(Number(event.target.value))}
        >
          {KEEPS.map(({ hours, label }) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
    </ConfirmDialog>
  );
}
