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
import { clientForm as text } from "./messages";
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
      toast.success(client ? text.saved(name) : text.added(name));
    },
  });
  const fields = fieldErrors(save.error);
  const failure = toFormError(save.error, text.failed);
  const isShownAtField = Object.keys(fields).some((field) => field !== "allowed_scopes");
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={client ? text.titleChange(client.name) : text.title}
      submitLabel={client ? text.submitChange : text.submit}
      busy={save.isPending}
      disabled={isLimited && scopes.length === 0}
      error={!isShownAtField && failure && { ...failure, message: fields.allowed_scopes?.[0] ?? failure.message }}
      onSubmit={() => save.mutate(nextKey(save.error))}
    >
      <TextField
        label={text.name}
        required
        maxLength={200}
        className="max-w-md"
        help={text.nameHelp}
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
        <legend className="mb-1 font-medium">{text.scopes}</legend>
        <RadioField
          name="scopes"
          label={text.everything}
          help={text.everythingHelp}
          checked={!isLimited}
          onChange={() => setLimited(false)}
        />
        <RadioField
          name="scopes"
          label={text.selected}
          help={text.selectedHelp}
          checked={isLimited}
          onChange={() => setLimited(true)}
        />
      </fieldset>
      {isLimited ? (
        <ScopePicker value={scopes} onChange={setScopes} />
      ) : (
        <CheckField
          label={text.scoped}
          help={text.scopedHelp}
          checked={isScoped}
          onChange={(event) => setScoped(event.target.checked)}
        />
      )}
      {client && <p className="text-soft">{text.changeHelp}</p>}
    </FormDialog>
  );
}
