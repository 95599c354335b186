"use client";

import { useRef, useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { useIdempotencyKey } from "@/components/session/use-idempotency-key";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { SelectField } from "@/components/ui/field";
import type { NewSigningSecret } from "@/lib/events/subscriptions/schema";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import { rotateSecretDialog as text } from "./messages/secrets";

const EXPIRY_OPTIONS = [
  { hours: 0, label: text.now },
  { hours: 1, label: text.hour },
  { hours: 24, label: text.day },
  { hours: 168, label: text.week },
];

/** Creates a signing secret for a subscription, and lets the previous one expire. */
export function RotateSecretDialog(props: {
  path: string;
  subscription: StaffSubscription;
  onClose: () => void;
  onDone: (secret: NewSigningSecret) => void;
}) {
  const { path, subscription, onClose, onDone } = props;
  const [keepHours, setKeepHours] = useState(24);
  const lastError = useRef<Error | null>(null);
  const nextKey = useIdempotencyKey();
  return (
    <ConfirmDialog
      title={text.title(subscription.client_name)}
      description={text.description(subscription.target)}
      submitLabel={text.submit}
      danger={false}
      onClose={onClose}
      run={async (reason) => {
        const request = { body: { keep_hours: keepHours }, reason, key: nextKey(lastError.current) };
        const secret = await staffCall<NewSigningSecret>(path, { method: "POST", ...request }).catch((error) => {
          lastError.current = error;
          throw error;
        });
        onDone(secret);
      }}
    >
      <SelectField
        label={text.expiry}
        help={text.expiryHelp}
        value={keepHours}
        onChange={(event) => setKeepHours(Number(event.target.value))}
      >
        {EXPIRY_OPTIONS.map(({ hours, label }) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
      </SelectField>
    </ConfirmDialog>
  );
}
