"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { useIdempotencyKey } from "@/components/session/use-idempotency-key";
import { CheckField, RadioField } from "@/components/ui/check-field";
import { TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { PracticeCheckboxes, type PracticeChoice } from "@/components/ui/practice-checkboxes";
import { useToasts } from "@/components/ui/toasts";
import type { NewSecret } from "@/lib/access/clients/client-commands";
import type { ClientView } from "@/lib/practice/practices/staff-queries";
import { ScopePicker } from "./scope-picker";

interface FormProps {
  /** null to register a new client. */
  client: ClientView | null;
  practice: number;
  practices: readonly PracticeChoice[];
  onClose: () => void;
  /** Called with the secret of a new client. */
  onSaved: (secret: NewSecret | null) => void;
}

/** Registers an API client, or changes its name, practices and scopes. */
export function ClientForm({ client, practice, practices, onClose, onSaved }: FormProps) {
  const toast = useToasts();
  const [name, setName] = useState(client?.name ?? "");
  const [chosen, setChosen] = useState<number[]>(client?.practices ?? [practice]);
  const [isLimited, setLimited] = useState((client?.allowed_scopes.length ?? 0) > 0);
  const [scopes, setScopes] = useState<readonly string[]>(client?.allowed_scopes ?? []);
  const [isScoped, setScoped] = useState(client?.scoped_tokens ?? false);
  const path = `practices/${practice}/clients`;
  const nextKey = useIdempotencyKey();
  const save = useMutation({
    mutationFn: async (key: string) => {
      const body = {
        name,
        practices: chosen,
        // Specific scopes require scoped tokens, which are in closed beta.
        scoped_tokens: isLimited || isScoped,
        allowed_scopes: isLimited ? scopes : [],
      };
      if (!client) return staffCall<NewSecret>(path, { method: "POST", body, key });
      await staffCall(`${path}/${client.id}`, { method: "PATCH", body, ifMatch: client.version });
      return null;
    },
    onSuccess: (secret) => {
      onSaved(secret);
      toast.success(client ? `${name} saved.` : `${name} registered.`);
    },
  });
  const fields = fieldErrors(save.error);
  const failure = toFormError(save.error, "Nothing was saved");
  const isShownAtField = Object.keys(fields).some((field) => field !== "allowed_scopes");
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={client ? `Change ${client.name}` : "Register API client"}
      submitLabel={client ? "Save client" : "Register client"}
      busy={save.isPending}
      disabled={isLimited && scopes.length === 0}
      error={!isShownAtField && failure && { ...failure, message: fields.allowed_scopes?.[0] ?? failure.message }}
      onSubmit={() => save.mutate(nextKey(save.error))}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        className="max-w-md"
        help="Shown in version histories and the audit log."
        error={fields.name?.[0]}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <PracticeCheckboxes
        practices={practices}
        current={practice}
        value={chosen}
        onChange={setChosen}
        error={fields.practices?.[0]}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Scopes</legend>
        <RadioField
          name="scopes"
          label="Everything (apiv2)"
          help="Every resource of the API. Needed to subscribe to events."
          checked={!isLimited}
          onChange={() => setLimited(false)}
        />
        <RadioField
          name="scopes"
          label="Selected scopes only"
          help="Its token requests must name scopes selected here. It can't subscribe to events."
          checked={isLimited}
          onChange={() => setLimited(true)}
        />
      </fieldset>
      {isLimited ? (
        <ScopePicker value={scopes} onChange={setScopes} />
      ) : (
        <CheckField
          label="Allow tokens with fewer scopes"
          help="Scoped tokens are in closed beta. Without this, each token has full access."
          checked={isScoped}
          onChange={(event) => setScoped(event.target.checked)}
        />
      )}
      {client && (
        <p className="text-soft">
          Removing a scope revokes the tokens that have it. Access to removed practices ends within seconds.
        </p>
      )}
    </FormDialog>
  );
}
