"use client";

import { useState } from "react";
import { Button } from "./button";
import { CheckField } from "./check-field";
import { Copyable } from "./copyable";
import { Dialog } from "./dialog";
import { secretDialog as text } from "./messages/dialogs";

interface SecretDialogProps {
  title: string;
  description: string;
  values: readonly { label: string; value: string }[];
  onDone: () => void;
}

/** Shows a secret that can't be shown again. Stays open until the user confirms that they have stored it. */
export function SecretDialog({ title, description, values, onDone }: SecretDialogProps) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      open
      onClose={() => isStored && onDone()}
      title={title}
      description={description}
      footer={
        <Button kind="primary" disabled={!isStored} onClick={onDone}>
          {text.done}
        </Button>
      }
    >
      <dl className="flex flex-col gap-3">
        {values.map(({ label, value }) => (
          <div key={label}>
            <dt className="font-medium">{label}</dt>
            <dd className="bg-sunken mt-1 rounded-md px-2.5 py-1.5">
              <Copyable value={value} label={label.toLowerCase()} className="flex w-full justify-between" />
            </dd>
          </div>
        ))}
      </dl>
      <CheckField
        className="mt-4"
        label={text.isStored}
        help={text.isStoredHelp}
        checked={isStored}
        onChange={(event) => setStored(event.target.checked)}
      />
    </Dialog>
  );
}
