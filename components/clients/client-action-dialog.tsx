"use client";

import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Notice } from "@/components/ui/notice";
import { SecretExpiryField } from "@/components/ui/secret-expiry-field";
import { useToasts } from "@/components/ui/toasts";
import type { NewSecret } from "@/lib/access/clients/client-commands";
import type { ClientView } from "@/lib/practice/practices/staff-queries";
import { disableDialog, enableDialog, expiry, removeDialog, revokeDialog, rotateDialog } from "./messages";

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
  text: { title: (client: string) => string; label: string; done: (client: string) => string };
  description: string;
  call: (reason: string) => Promise<NewSecret | null>;
}

const EXPIRY_OPTIONS = [
  { hours: 0, label: expiry.now },
  { hours: 1, label: expiry.hour },
  { hours: 24, label: expiry.day },
  { hours: 168, label: expiry.week },
  { hours: 720, label: expiry.month },
];

/** Confirms an action on an API client, and performs it. */
export function ClientActionDialog({ kind, client, secretId, practice, onClose, onDone }: ClientActionDialogProps) {
  const toast = useToasts();
  const [keepHours, setKeepHours] = useState(168);
  const path = `practices/${practice}/clients/${client.id}`;
  const { name, version: ifMatch, secrets, open_tokens: tokens } = client;
  const isLast = secrets.length === 1;
  const actions: Record<ClientAction, Action> = {
    rotate: {
      text: rotateDialog,
      description: rotateDialog.description,
      call: (reason) =>
        staffCall<NewSecret>(`${path}/secrets`, { method: "POST", body: { keep_hours: keepHours }, reason, ifMatch }),
    },
    revoke: {
      text: revokeDialog,
      description: isLast ? revokeDialog.descriptionLast(tokens) : revokeDialog.description(tokens),
      call: (reason) => staffCall<null>(`${path}/secrets/${secretId}`, { method: "DELETE", reason, ifMatch }),
    },
    disable: {
      text: disableDialog,
      description: disableDialog.description(tokens),
      call: (reason) => staffCall<null>(path, { method: "PATCH", body: { disabled: true }, reason, ifMatch }),
    },
    enable: {
      text: enableDialog,
      description: enableDialog.description,
      call: (reason) => staffCall<null>(path, { method: "PATCH", body: { disabled: false }, reason, ifMatch }),
    },
    remove: {
      text: removeDialog,
      description: removeDialog.description,
      call: (reason) => staffCall<null>(path, { method: "DELETE", reason, ifMatch }),
    },
  };
  const { text, description, call } = actions[kind];
  return (
    <ConfirmDialog
      title={text.title(name)}
      description={description}
      submitLabel={text.label}
      danger={kind !== "rotate" && kind !== "enable"}
      onClose={onClose}
      run={async (reason) => {
        const secret = await call(reason);
        onDone(kind === "rotate" ? secret : null);
        toast.success(text.done(name));
      }}
    >
      {kind === "rotate" && secrets.length >= 2 && keepHours > 0 && <Notice tone="warning">{expiry.full}</Notice>}
      {kind === "rotate" && (
        <SecretExpiryField
          label={expiry.label}
          help={expiry.help}
          options={EXPIRY_OPTIONS}
          value={keepHours}
          onChange={setKeepHours}
        />
      )}
    </ConfirmDialog>
  );
}
