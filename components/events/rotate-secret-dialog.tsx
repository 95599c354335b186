"use client";

import { useRef, useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { useIdempotencyKey } from "@/components/session/use-idempotency-key";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { SecretDialog } from "@/components/ui/secret-dialog";
import { SecretExpiryField } from "@/components/ui/secret-expiry-field";
import type { NewSigningSecret } from "@/lib/events/subscriptions/schema";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import { toError } from "@/lib/platform/objects";
import { signingSecretDialog, rotateSecretDialog as text } from "./messages/secrets";

const EXPIRY_OPTIONS = [
  { hours: 0, label: text.now },
  { hours: 1, label: text.hour },
  { hours: 24, label: text.day },
  { hours: 168, label: text.week },
];

/** Creates a signing secret for a subscription, lets the previous one expire, and shows the new one once. */
export function RotateSecretDialog(props: { path: string; subscription: StaffSubscription; onClose: () => void }) {
  const { path, subscription, onClose } = props;
  const [keepHours, setKeepHours] = useState(24);
  const [secret, setSecret] = useState<string | null>(null);
  const isCreated = useRef(false);
  const lastError = useRef<Error | null>(null);
  const nextKey = useIdempotencyKey();
  const rotate = async (reason: string) => {
    const request = { body: { keep_hours: keepHours }, reason, key: nextKey(lastError.current) };
    try {
      const created = await staffCall<NewSigningSecret>(path, { method: "POST", ...request });
      isCreated.current = true;
      setSecret(created.signing_secret);
    } catch (error) {
      lastError.current = toError(error);
      throw error;
    }
  };
  if (secret !== null) {
    return (
      <SecretDialog
        title={signingSecretDialog.title}
        description={signingSecretDialog.description}
        values={[
          { label: signingSecretDialog.endpoint, value: subscription.target },
          { label: signingSecretDialog.secret, value: secret },
        ]}
        onDone={onClose}
      />
    );
  }
  return (
    <ConfirmDialog
      title={text.title(subscription.client_name)}
      description={text.description(subscription.target)}
      submitLabel={text.submit}
      danger={false}
      // It also closes after the rotation, when the secret is shown instead.
      onClose={() => !isCreated.current && onClose()}
      run={rotate}
    >
      <SecretExpiryField
        label={text.expiry}
        help={text.expiryHelp}
        options={EXPIRY_OPTIONS}
        value={keepHours}
        onChange={setKeepHours}
      />
    </ConfirmDialog>
  );
}
