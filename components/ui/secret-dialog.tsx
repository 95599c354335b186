"use client";

import { useState } from "react";
import { Button } from "./button";
import { Copyable } from "./copyable";
import { Dialog } from "./dialog";
import { CheckField } from "./field";

/** Something that is shown once: the dialog stays until whoever reads it says that they have it. */
export function SecretDialog({
  title,
  description,
  values,
  onDone,
}: {
  title: string;
  description: string;
  values: readonly { label: string; value: string }[];
  onDone: () => void;
}) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      open
      onClose={() => isStored && onDone()}
      title={title}
      description={description}
      footer={
        <Button kind="primary" disabled={!isStored} onClick={onDone}>
          Done
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
        label="I have stored it"
        help="It can't be shown again; only its hash is kept."
        checked={isStored}
        onChange={(event) => setStored(event.target.checked)}
      />
    </Dialog>
  );
}
